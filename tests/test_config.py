"""The configuration file: what it takes, and how it says what it does not."""

from __future__ import annotations

import pytest

from bacon.config import parse_config, read_config
from bacon.errors import InputError

JUDGE = '[[judge]]\nname = "a"\nurl = "http://127.0.0.1:1/v1"\nmodel = "m"\nprompt = "essay"\n'


def test_all_tables():
    config = parse_config(
        '[pool]\nfile = "pool.parquet"\nfields = {text = "essay"}\n'
        + JUDGE
        + "runs = 3\nprice_in = 0.1\nparameters = {temperature = 0.5}\n",
        "bacon.toml",
    )
    assert config.pool.fields == {"text": "essay"}
    assert config.judge[0].runs == 3
    assert config.judge[0].parameters == {"temperature": 0.5}


def test_an_empty_file_has_no_tables():
    config = parse_config("", "bacon.toml")
    assert (config.pool, config.judge) == (None, [])


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[pool\n", "is not TOML"),
        (JUDGE + "run = 3\n", r"\[\[judge\]\] number 1: there is no key 'run'; did you mean runs"),
        (JUDGE + "temperature = 0.7\n", r"in parameters: parameters = \{temperature = ...\}"),
        (JUDGE + JUDGE.replace('"m"', "7").replace('"a"', '"b"'), r"number 2, key model"),
        (JUDGE + "runs = 0\n", "key runs: .*greater than or equal to 1, not 0"),
        (JUDGE + 'runs = "3"\n', "key runs"),
        (JUDGE + "logprobs = 21\n", "key logprobs"),
        (JUDGE + "price_in = nan\n", "key price_in"),
        (JUDGE + "timeout = 0.0\n", "key timeout"),
        (JUDGE + 'key_variable = "sk 123"\n', "key key_variable"),
        (JUDGE.replace('"a"', '"a b"'), "key name"),
        (JUDGE.replace('"a"', '"../a"'), "key name"),
        (JUDGE + JUDGE, "two judges are called a"),
        ('[[judge]]\nname = "a"\n', "the key 'url' is missing"),
        ("[judges]\n", "outside of any table: there is no key 'judges'; did you mean judge"),
        ("[pool]\n", r"\[pool\]: the key 'file' is missing"),
    ],
)
def test_what_cannot_be_is_refused(text, what):
    with pytest.raises(InputError, match=what) as error:
        parse_config(text, "bacon.toml")
    assert str(error.value).startswith("bacon.toml")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_config(tmp_path / "bacon.toml")
    (tmp_path / "bacon.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_config(tmp_path / "bacon.toml")
    (tmp_path / "bacon.toml").write_text(JUDGE)
    assert len(read_config(tmp_path / "bacon.toml").judge) == 1
