"""The examples of README.md and docs/ run, and print what the pages say.

A fenced block of ``python``, ``bash`` or ``console`` after a line ``<!-- test -->`` is run,
in the page's own empty folder and in the page's order:

- ``python`` blocks share their names, as if typed into one session; lines that start with
  ``>>>`` are compared with the output under them;
- ``bash`` blocks must end with exit code 0;
- ``console`` blocks hold commands after ``$ `` (continued by a closing backslash), each
  followed by what it prints, errors included; ``...`` stands for anything.
  ``<!-- test: exit 3 -->`` says how the last command of the block ends, otherwise 0.
  A plain ``bacon`` command runs in this process, since starting another takes most of its time.

A block that cannot run says why: ``<!-- not run: needs a network -->``.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bacon.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]

FENCE = re.compile(
    r"^(?P<indent>[ ]*)```(?P<language>python|bash|console)\b[^\n]*\n(?P<text>.*?)^(?P=indent)```",
    re.MULTILINE | re.DOTALL,
)
RUN = re.compile(r"<!-- test(?:: exit (?P<code>\d+))? -->")
NOT_RUN = re.compile(r"<!-- not run: \S.* -->")
SECONDS = 120
TERMINAL = {"COLUMNS": "100", "NO_COLOR": "1"}


@dataclass(frozen=True)
class Block:
    """One fenced example; `marker` is the line before it, `line` counts from 1."""

    language: str
    text: str
    line: int
    marker: str


def blocks(page: str) -> Iterator[Block]:
    for match in FENCE.finditer(page):
        before = page[: match.start()].rstrip().splitlines()
        yield Block(
            language=match["language"],
            text=textwrap.dedent(match["text"]),
            line=page.count("\n", 0, match.start()) + 1,
            marker=before[-1].strip() if before else "",
        )


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block with the output expected after it."""
    lines = iter(text.splitlines())
    command: list[str] = []
    output: list[str] = []
    for line in lines:
        if not line.startswith("$ "):
            assert command, f"a console block starts with '$ ', not with {line!r}"
            output.append(line)
            continue
        if command:
            yield "\n".join(command), "\n".join(output)
        command, output = [line.removeprefix("$ ")], []
        while command[-1].endswith("\\"):
            command.append(next(lines))
    if command:
        yield "\n".join(command), "\n".join(output)


def tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()).rstrip()


def matches(expected: str, printed: str) -> bool:
    """Whether `printed` is `expected`, where ``...`` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in tidy(expected).split("..."))
    return re.fullmatch(pattern, tidy(printed), re.DOTALL) is not None


@dataclass(frozen=True)
class Ran:
    """Exit code of a command and what it printed, errors included."""

    code: int
    printed: str


def bacon_words(command: str) -> list[str] | None:
    """The arguments of a plain bacon command; None where the command needs a shell."""
    line = command.replace("\\\n", "")
    words = list(shlex.shlex(line, posix=True, punctuation_chars=True))
    shell = "$" in line or any(set(word) <= set("();<>|&") for word in words)
    return None if shell or words[:1] != ["bacon"] else shlex.split(line)[1:]


def run_command(command: str, folder: Path) -> Ran:
    words = bacon_words(command)
    return run_shell(command, folder) if words is None else run_bacon(words, folder)


def run_bacon(words: list[str], folder: Path) -> Ran:
    printed = io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
    ):
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["bacon", *words])
        for name, value in TERMINAL.items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as stopped:
            main()
    return Ran(int(stopped.value.code or 0), printed.getvalue())


def run_shell(command: str, folder: Path) -> Ran:
    scripts = Path(sys.executable).parent
    path = f"{scripts}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, **TERMINAL, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    return Ran(ran.returncode, ran.stdout)


def run_console(block: Block, folder: Path, exit_code: int) -> None:
    pairs = list(commands(block.text))
    for position, (command, expected) in enumerate(pairs, start=1):
        run = run_command(command, folder)
        assert matches(expected, run.printed), (
            f"$ {command}\nshould print:\n{expected}\nprinted:\n{run.printed}"
        )
        wanted = exit_code if position == len(pairs) else 0
        assert run.code == wanted, f"$ {command}\nended with {run.code}\n{run.printed}"


def run_python(block: Block, names: dict[str, Any], where: str) -> None:
    if not block.text.startswith(">>>"):
        exec(compile("\n" * block.line + block.text, where, "exec"), names)  # noqa: S102 (our own pages)
        return
    session = doctest.DocTestParser().get_doctest(block.text, names, where, where, block.line)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    runner.run(session, out=report.append, clear_globs=False)
    names.update(session.globs)
    assert runner.failures == 0, "".join(report)


def run_page(text: str, name: str, folder: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(text):
        marker = RUN.fullmatch(block.marker)
        if marker is None:
            continue
        exit_code = int(marker["code"] or 0)
        try:
            if block.language == "python":
                run_python(block, names, name)
            elif block.language == "bash":
                run = run_shell(block.text, folder)
                assert run.code == exit_code, f"ended with {run.code}\n{run.printed}"
            else:
                run_console(block, folder, exit_code)
        except BaseException as error:
            error.add_note(f"in the {block.language} example at {name}:{block.line}")
            raise


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_examples_run_and_print_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(page.read_text(encoding="utf-8"), str(page.relative_to(REPOSITORY)), tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_example_is_run_or_says_why_not(page):
    silent = [
        f"line {block.line}: put <!-- test --> or <!-- not run: reason --> on the line before"
        for block in blocks(page.read_text(encoding="utf-8"))
        if not RUN.fullmatch(block.marker) and not NOT_RUN.fullmatch(block.marker)
    ]
    assert silent == []


GOOD_PAGE = """\
# Page

<!-- test -->
```bash
printf 'a\\nb\\n' > made.txt
```

<!-- test -->
```console
$ cat made.txt
a
b
$ echo one \\
    two; echo 3.14159
one two
3.1...
```

<!-- test: exit 3 -->
```console
$ echo no >&2; exit 3
no
```

<!-- test -->
```python
from pathlib import Path
count = len(Path("made.txt").read_text().split())
```

<!-- test -->
```python
>>> count
2
```

<!-- not run: there is no such command -->
```bash
no-such-command
```
"""


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("bacon demo", ["demo"]),
        (
            "bacon estimate a.csv \\\n    --judges 'judge_*' -n 3",
            ["estimate", "a.csv", "--judges", "judge_*", "-n", "3"],
        ),
        ("bacon demo | tail -1", None),
        ("bacon demo 2>&1 >/dev/null", None),
        ("bacon demo $HOME", None),
        ("cat bacon", None),
    ],
)
def test_plain_commands_are_told_from_those_of_a_shell(command, words):
    assert bacon_words(command) == words


def test_a_page_runs_in_order_in_one_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(GOOD_PAGE, "page.md", tmp_path)


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("printf", "no-such-command", 4),
        ("one two\n", "one three\n", 9),
        ("3.1...", "3.2...", 9),
        ("exit 3 -->", "exit 4 -->", 20),
        ("count = len", "count = lan", 26),
        (">>> count\n2", ">>> count\n3", 32),
    ],
)
def test_a_wrong_page_fails_where_it_is_wrong(right, wrong, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((AssertionError, NameError)) as caught:
        run_page(GOOD_PAGE.replace(right, wrong), "page.md", tmp_path)
    assert caught.value.__notes__[-1].endswith(f"page.md:{line}")
