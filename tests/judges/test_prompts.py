"""Prompts: the built-in ones, those in TOML, examples and structured answers."""

from __future__ import annotations

import json

import pytest

from bacon.errors import InputError
from bacon.judges.messages import build_messages
from bacon.judges.prompts import Prompt, built_in, prompt_from_toml
from bacon.judges.records import Item
from bacon.judges.spec import JudgeSpec, call_of

GOOD = """\
name = "helpful"
version = 2
system = "You judge answers. Reply with a number from 0 to 100 and nothing else, not {even} braces."
user = "Question: {question} Answer: {answer} As {{JSON}}?"
parser = "number"
scale = [0, 100]
"""


def toml(**changes):
    lines = dict(line.split(" = ", 1) for line in GOOD.splitlines())
    lines |= {key: value for key, value in changes.items() if value is not None}
    for key, value in changes.items():
        if value is None:
            lines.pop(key, None)
    return "\n".join(f"{key} = {value}" for key, value in lines.items())


def test_the_essay_prompt_follows_the_protocol():
    prompt = built_in("essay")
    assert prompt.version == "essay/1"
    assert prompt.fields == ("assignment", "text")
    assert prompt.scale == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert (prompt.max_tokens, prompt.stop) == (1, ("\n",))
    assert all(f"\n{digit} " in prompt.system for digit in "123456")
    assert built_in("essay", assignment=False).fields == ("text",)
    assert built_in("essay", assignment=False).version != prompt.version


@pytest.mark.parametrize("kind", ["university", "bank", "fashion", "homeware"])
def test_the_webdesign_prompt_asks_for_six_lines(kind):
    prompt = built_in("webdesign", kind=kind)
    assert prompt.outcomes == ("AE", "TRU", "TYP", "EXMPL", "AVG", "US")
    assert prompt.user.splitlines()[-6:] == [f"{name}: n" for name in prompt.outcomes]
    assert prompt.scale == (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)
    assert prompt.images
    assert prompt.max_tokens == 128
    others = {built_in("webdesign", kind=one).user for one in ("university", "bank")}
    assert len(others) == 2


def test_the_mqm_prompt_shows_the_answers_it_reads():
    prompt = built_in("mqm")
    assert prompt.fields == ("source", "target")
    shown = [line for line in prompt.system.splitlines() if line.startswith("{")]
    assert prompt.parse(shown[-1]).scores == (0.0,)
    assert list(json.loads(shown[0])["errors"][0]) == ["category", "severity", "span"]
    assert prompt.scale is None
    assert prompt.limits == (0.0, 25.0)


@pytest.mark.parametrize(
    ("name", "choices", "told"),
    [
        ("poem", {}, "no built-in prompt 'poem'"),
        ("essay", {"kind": "bank"}, "no choice 'kind'"),
        ("essay", {"assignment": "no"}, "true or false"),
        ("webdesign", {}, "needs kind"),
        ("webdesign", {"kind": "casino"}, "university, bank, fashion, homeware"),
        ("mqm", {"kind": "bank"}, "no choice 'kind'"),
    ],
)
def test_unknown_prompts_and_choices_are_refused(name, choices, told):
    with pytest.raises(InputError, match=told):
        built_in(name, **choices)


def test_a_prompt_in_toml():
    prompt = prompt_from_toml(GOOD, "helpful.toml")
    assert prompt == Prompt(
        name="helpful",
        version="helpful/2",
        system="You judge answers. Reply with a number from 0 to 100 and nothing else, "
        "not {even} braces.",
        user="Question: {question} Answer: {answer} As {{JSON}}?",
        parser="number",
        limits=(0.0, 100.0),
        whole=False,
    )
    assert prompt.fields == ("question", "answer")
    assert prompt.scale is None
    assert prompt.parse("Score: 62.5").scores == (62.5,)


def test_levels_are_numbered_in_order_or_carry_their_scores():
    listed = toml(parser='"label"', scale=None, levels='["no", "partly", "yes"]')
    prompt = prompt_from_toml(listed, "p.toml")
    assert prompt.scale == (1.0, 2.0, 3.0)
    assert prompt.parse("Partly").scores == (2.0,)
    table = toml(parser='"label"', scale=None, levels="{no = 0, yes = 10.5}")
    assert prompt_from_toml(table, "p.toml").parse("yes").scores == (10.5,)


def test_every_key_of_the_toml_arrives():
    prompt = prompt_from_toml(
        toml(
            parser='"lines"',
            scale="[-2, 2]",
            outcomes='["clear", "true"]',
            max_tokens="50",
            stop='["END"]',
            images="true",
            version='"b"',
        ),
        "p.toml",
    )
    assert prompt.version == "helpful/b"
    assert prompt.outcomes == ("clear", "true")
    assert (prompt.max_tokens, prompt.stop, prompt.images) == (50, ("END",), True)
    assert prompt.parse("clear: 1\ntrue: -2").scores == (1.0, -2.0)
    whole = prompt_from_toml(toml(whole="true", scale="[1, 5]"), "p.toml")
    assert whole.scale == (1.0, 2.0, 3.0, 4.0, 5.0)
    assert whole.parse("4.5").scores == (None,)
    assert prompt_from_toml(toml(parser='"mqm"', scale=None), "p.toml").limits == (0.0, 25.0)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"scales": "[1, 6]"}, "unknown key 'scales'; did you mean scale"),
        ({"temperature": "0"}, "unknown key 'temperature'"),
        ({"system": None}, "the key system is missing"),
        ({"version": None}, "the key version is missing"),
        ({"version": "1.5"}, "version must be text or a whole number"),
        ({"version": "true"}, "version must be"),
        ({"name": '""'}, "name must be text"),
        ({"user": "3"}, "user must be text"),
        ({"user": '"no field"'}, "shows nothing of an item"),
        ({"user": '"{}"'}, "names no field"),
        ({"user": '"{0}"'}, "names no field"),
        ({"user": '"{text.__class__}"'}, "names no field"),
        ({"user": '"{text[0]}"'}, "names no field"),
        ({"user": '"{text!r:>9}"'}, "names no field"),
        ({"user": '"{text"'}, "names no field"),
        ({"user": '"text} {answer}"'}, "names no field"),
        ({"system": '"Judge {answer}."'}, "system message names the field 'answer'"),
        ({"parser": '"eval"'}, "no parser 'eval'"),
        ({"parser": '"digit"'}, "whole|digit"),
        ({"parser": '"digit"', "scale": "[0, 10]"}, "one digit"),
        ({"parser": '"digit"', "scale": "[1, 6]", "whole": "false"}, "whole numbers"),
        ({"parser": '"label"', "scale": None}, "needs levels"),
        ({"parser": '"label"', "scale": None, "levels": '["a"]'}, "two levels"),
        ({"parser": '"label"', "scale": None, "levels": '["a", "A "]'}, "reads like another"),
        ({"parser": '"label"', "scale": None, "levels": '["a", "*"]'}, "is empty"),
        ({"parser": '"label"', "scale": None, "levels": '{a = "b"}'}, "levels must be"),
        ({"parser": '"label"', "levels": '["a", "b"]'}, "scale or levels, not both"),
        ({"scale": None, "levels": '["a", "b"]'}, "levels are read by"),
        ({"parser": '"mqm"'}, "own scale"),
        ({"scale": None}, "needs scale"),
        ({"scale": "[6, 1]"}, "lower first"),
        ({"scale": "[1, inf]"}, "two numbers"),
        ({"scale": "[nan, 2]"}, "two numbers"),
        ({"scale": "[1]"}, "scale must be"),
        ({"scale": '"1:6"'}, "scale must be"),
        ({"scale": "[true, false]"}, "scale must be"),
        ({"scale": "[0.5, 2]", "whole": "true"}, "whole ends"),
        ({"outcomes": "[]"}, "outcomes must be"),
        ({"outcomes": '"score"'}, "outcomes must be"),
        ({"outcomes": '["a", "b"]'}, "reads one score"),
        ({"outcomes": '["a", "A"]', "parser": '"lines"', "scale": "[1, 2]"}, "different names"),
        ({"max_tokens": "0"}, "max_tokens must be"),
        ({"max_tokens": "true"}, "max_tokens must be"),
        ({"stop": '"x"'}, "stop must be"),
        ({"images": "1"}, "images must be"),
    ],
)
def test_what_is_wrong_in_the_toml_is_refused_with_the_file(changes, told):
    with pytest.raises(InputError, match=told) as caught:
        prompt_from_toml(toml(**changes), "mine.toml")
    assert str(caught.value).startswith("mine.toml")


@pytest.mark.parametrize("text", ["name = ", "[" * 3000, "\x00", "x" * 1_000_001, "a = 1\na = 2"])
def test_what_is_no_toml_is_refused(text):
    with pytest.raises(InputError, match=r"mine\.toml"):
        prompt_from_toml(text, "mine.toml")


ONE = Item("e1", {"assignment": "cars", "text": "Cars are bad."})
TWO = Item("e2", {"assignment": "cars", "text": "Cars are good because I say so."})


def test_examples_are_turns_and_their_ids_are_known():
    prompt = built_in("essay").with_examples([(ONE, "2"), (TWO, "3")])
    assert prompt.example_ids == ("e1", "e2")
    assert prompt.version.startswith("essay/1+examples.")
    messages = build_messages(prompt, Item("e3", {"assignment": "cars", "text": "third"}))
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert [messages[2]["content"], messages[4]["content"]] == ["2", "3"]
    assert "Cars are bad." in messages[1]["content"]
    assert "third" in messages[5]["content"]


def test_other_examples_are_another_version_and_the_same_are_the_same():
    plain = built_in("essay")
    one = plain.with_examples([(ONE, "2")])
    assert one.version == plain.with_examples([(ONE, "2")]).version
    assert one.version != plain.with_examples([(ONE, "3")]).version
    assert one.with_examples([(TWO, "3")]) == plain.with_examples([(ONE, "2"), (TWO, "3")])
    assert plain.with_examples([]) == plain


@pytest.mark.parametrize(
    ("examples", "told"),
    [
        ([(ONE, "8")], "off the scale"),
        ([(ONE, "")], "empty answer"),
        ([(ONE, "2"), (ONE, "2")], "there twice"),
        ([(Item("e9", {"text": "x"}), "2")], "'assignment'"),
    ],
)
def test_examples_that_mislead_are_refused(examples, told):
    with pytest.raises(InputError, match=told):
        built_in("essay").with_examples(examples)


def test_missing_fields_are_named_with_those_that_are_there():
    with pytest.raises(InputError, match=r"pool\.csv: prompt essay shows the field 'assignment'"):
        built_in("essay").check_fields(["text", "title"], where="pool.csv")


def schema(prompt):
    form = prompt.response_format()
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    return form["json_schema"]["schema"]


def test_structured_answers_are_held_to_a_schema_and_read_strictly():
    prompt = built_in("essay").structured()
    assert prompt.version == "essay/1+schema"
    assert prompt.max_tokens > 20
    assert prompt.stop == ()
    assert schema(prompt) == {
        "type": "object",
        "properties": {"score": {"type": "integer", "enum": [1, 2, 3, 4, 5, 6]}},
        "required": ["score"],
        "additionalProperties": False,
    }
    assert prompt.parse('{"score": 4}').scores == (4.0,)
    for wrong in ("4", 'Score: {"score": 4}', '{"score": "4"}', '{"score": 7}', '{"score": 4'):
        assert prompt.parse(wrong).scores == (None,)
    assert prompt.structured() is prompt


def test_the_schema_in_the_other_form():
    prompt = built_in("essay").structured()
    assert prompt.response_format("json_object") == {
        "type": "json_object",
        "schema": schema(prompt),
    }


@pytest.mark.parametrize(
    ("structured", "kind"),
    [(True, "json_schema"), ("json_schema", "json_schema"), ("json_object", "json_object")],
)
def test_a_request_has_the_form_that_is_asked_for(structured, kind):
    prompt = built_in("essay", assignment=False)
    spec = JudgeSpec("a", "http://127.0.0.1:9/v1", "a", prompt, structured=structured)
    body = json.loads(call_of(spec, Item("1", {"text": "An essay."}), 1).body)
    assert body["response_format"]["type"] == kind


def test_schemas_of_other_prompts():
    web = schema(built_in("webdesign", kind="bank").structured())
    assert web["required"] == ["AE", "TRU", "TYP", "EXMPL", "AVG", "US"]
    assert web["properties"]["US"]["enum"] == [-3, -2, -1, 0, 1, 2, 3]
    mqm = schema(built_in("mqm").structured())
    assert mqm["properties"]["errors"]["items"]["properties"]["severity"]["enum"] == [
        "Major",
        "Minor",
        "Neutral",
    ]
    number = schema(prompt_from_toml(GOOD, "p").structured())
    assert number["properties"]["score"] == {"type": "number", "minimum": 0.0, "maximum": 100.0}
    label = prompt_from_toml(toml(parser='"label"', scale=None, levels='["no", "yes"]'), "p")
    assert schema(label.structured())["properties"]["score"]["enum"] == ["no", "yes"]
    assert label.structured().parse('{"score": "yes"}').scores == (2.0,)
    assert label.structured().parse('{"score": "no"}').scores == (1.0,)


def test_examples_of_structured_prompts_are_written_as_json():
    essay = built_in("essay").with_examples([(ONE, "Score: 2")]).structured()
    assert essay.examples[0][1] == '{"score": 2}'
    translation = Item("t1", {"source": "a", "target": "b"})
    mqm = built_in("mqm").with_examples([(translation, "None: []")]).structured()
    assert mqm.examples[0][1] == '{"errors": []}'
    assert mqm.parse(mqm.examples[0][1]).scores == (0.0,)


def test_prompts_are_frozen():
    with pytest.raises(AttributeError):
        built_in("essay").system = "x"
