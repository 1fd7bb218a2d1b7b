"""What every figure of an experiment is made of: its look, its panels, its legend, its file."""

from __future__ import annotations

import io
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bacon.errors import InputError
from bacon.files import write_atomically
from bacon.words import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = [
    "SMALL",
    "cut",
    "legend_below",
    "look",
    "panels_of",
    "percent",
    "plain_style",
    "save_drawing",
]

COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b")
"""Told apart by people with any colour vision (Okabe and Ito, 2008)."""

MARKERS = "osD^vPX*"
DASHES = ("-", "--", ":", "-.")
SMALL = 8
"""Points of ticks and legends; titles have one more."""

LONGEST = 44
"""Signs of a name; longer ones lose their middle, since their ends tell them apart."""

PER_INCH = 13.0
"""Signs of a legend that fit an inch."""

KINDS = ("svg", "png")


@contextmanager
def plain_style() -> Iterator[None]:
    """Draw in matplotlib's own style, whatever the user's settings say."""
    from matplotlib import style

    with style.context("default"):
        yield


def look(place: int) -> dict[str, Any]:
    """Return colour, marker and dash of the line in a place; 32 differ."""
    turn = place // len(COLOURS)
    return {
        "color": COLOURS[place % len(COLOURS)],
        "marker": MARKERS[(place + turn) % len(MARKERS)],
        "ls": DASHES[turn % len(DASHES)],
    }


def cut(text: str, longest: int = LONGEST) -> str:
    """Return a name as a figure can show it: what is not to be seen as escapes, not too long."""
    text = escaped(text)
    if len(text) <= longest:
        return text
    half = (longest - 3) // 2
    return f"{text[: longest - 3 - half]}...{text[-half:]}"


def panels_of(count: int, width: float, height: float) -> tuple[Any, list[Any]]:
    """Return a drawing and its panels of so many inches, two of four in a row, else three."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(count, 2 if count in (2, 4) else 3)
    rows = -(-count // columns)
    drawing = Figure(figsize=(width * columns, height * rows + 0.5), layout="constrained")
    FigureCanvasAgg(drawing)
    axes = drawing.subplots(rows, columns, squeeze=False).ravel().tolist()
    for unused in axes[count:]:
        drawing.delaxes(unused)
    return drawing, axes[:count]


def legend_below(drawing: Any, handles: Sequence[Any], names: Sequence[str]) -> None:
    """Write what the lines are, below the panels.

    The words are set after the legend is made, because a legend drops names that begin with
    an underscore and takes dollars for a formula.
    """
    if not handles:
        return
    shown = [cut(name) for name in names]
    longest = max(len(name) for name in shown)
    fit = int(drawing.get_figwidth() * PER_INCH / (longest + 7))
    legend = drawing.legend(
        list(handles),
        [f"line {place}" for place in range(len(shown))],
        loc="outside lower center",
        ncols=max(1, min(4, fit, len(shown))),
        fontsize=SMALL,
        frameon=False,
    )
    for text, name in zip(legend.get_texts(), shown, strict=True):
        text.set_parse_math(False)
        text.set_text(name)


def save_drawing(drawing: Any, path: Path) -> None:
    """Write a drawing; without a date and with one salt, the same drawing is the same bytes.

    Words of an SVG stay words: what shows it finds a font for any script.

    Raises
    ------
    InputError
        The file is to be neither .svg nor .png.
    """
    import matplotlib as mpl

    kind = path.suffix.removeprefix(".").lower()
    if kind not in KINDS:
        raise InputError(f"{path}: figures are written as .svg or .png; name such a file.")
    buffer = io.BytesIO()
    words = mpl.rc_context({"svg.hashsalt": "bacon", "svg.fonttype": "none"})
    with plain_style(), words, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        metadata = {"Date": None} if kind == "svg" else None
        drawing.savefig(buffer, format=kind, metadata=metadata, dpi=150)
    write_atomically(path, buffer.getvalue(), overwrite=True)


def percent(share: float) -> str:
    """Return a share in percent, in at most three digits."""
    return f"{100.0 * share:.3g} %"
