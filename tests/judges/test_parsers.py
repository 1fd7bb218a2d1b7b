"""The score of an answer: what is read, what is refused, and why."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.judges.parsers import PARSERS, parse
from bacon.judges.parsers.rules import LONGEST, Rules
from bacon.judges.prompts import built_in

ESSAY = built_in("essay")
WEB = built_in("webdesign", kind="bank")
MQM = built_in("mqm")
PERCENT = Rules(("score",), 0.0, 100.0, whole=False)
WORDS = Rules(
    ("score",), 1.0, 3.0, levels=(("poor", 1.0), ("not relevant", 2.0), ("very good", 3.0))
)
PAIR = Rules(("helpful", "safe"), 1.0, 5.0)

READ_DIGITS = [
    ("4", 4),
    (" 4\n", 4),
    ("4.", 4),
    ("+4", 4),
    ("4.0", 4),
    ("4,0", 4),
    ("**4**", 4),
    ("`4`", 4),
    ("_4_", 4),
    ("# 4", 4),
    ("- 4", 4),
    ("(4)", 4),
    ("[4]", 4),
    ("{4}", 4),
    ("<4>", 4),
    ("<score>4</score>", 4),
    ('"4"', 4),
    ("“4”", 4),
    ("\u200b4\ufeff", 4),
    ("```\n4\n```", 4),
    ("```text\nScore: 4\n```", 4),
    ('{"score": 4}', 4),
    ("Score: 4", 4),
    ("score 4", 4),
    ("Score = 4", 4),
    ("Score - 4", 4),
    ("Score-4", 4),
    ("**Score**: 4", 4),
    ("**Score:** 4", 4),
    ("Score of 4", 4),
    ("Final score: 4", 4),
    ("Rating:\n\n4", 4),
    ("The answer is: **4**", 4),
    ("I would give this essay a 4.", 4),
    ("Overall, this essay deserves a 5 because it argues well", 5),
    ("This one is a 4", 4),
    ("I'd say 4", 4),
    ("4\n\nThe essay argues well.", 4),
    ("4 - Above average", 4),
    ("4 \u2013 Above average", 4),
    ("4: Above average", 4),
    ("4 (above average)", 4),
    ("Above average (4)", 4),
    ("5/6", 5),
    ("5 / 6", 5),
    ("6/6", 6),
    ("Score: 5/6.", 5),
    ("5 out of 6", 5),
    ("5 (out of 6)", 5),
    ("5 out of six", 5),
    ("five of 6", 5),
    ("4 points", 4),
    ("The score is 4 on a scale of 1 to 6.", 4),
    ("On a scale of 1-6, I rate it 3.", 3),
    ("1 (1 to 6)", 1),
    ("four", 4),
    ("Four.", 4),
    ("FOUR", 4),
    ("Score: four", 4),
    ("Rating: four out of six", 4),
    ("2 (two)", 2),
    ("One of the best: 5", 5),
    ("4 4", 4),
    ("Score: 4. I give it 4.", 4),
    ("４", 4),  # noqa: RUF001 (a fullwidth digit)
    ("得分：４／６", 4),  # noqa: RUF001 (fullwidth signs)
    ("٤", 4),
    ("النتيجة: ٤", 4),
    ("۴", 4),
    ("४", 4),
    ("अंक: ४/६", 4),
    ("\u09ea", 4),
    ("๔", 4),
    ("4\ufe0f\u20e3", 4),
    ("Оценка: 4", 4),
    ("Ich gebe eine 4.", 4),
    ("<think>a 3, no, 5</think>\n4", 4),
    ("$\\boxed{4}$", 4),
    ("The author cannot support the claim. Score: 2", 2),
    ("The student is unable to give reasons: 2", 2),
    ("A sorry effort: 1", 1),
    ("Score (1-6): 4", 4),
    ("Score [1-6]: 4", 4),
    ("Rating (out of 6): 4", 4),
    ("5, one of the best", 5),
    ("4 Above average", 4),
    ("4分", 4),
    ("3 for content and 3 for style", 3),
    ("My score would be 4", 4),
    ("This is not perfect, but a 4", 4),
    ("4. I'm sorry that I cannot explain it.", 4),
]

REFUSED_DIGITS = [
    ("", "empty answer"),
    (" \n\t", "empty answer"),
    ("\u200b", "cut off"),
    ("<think>it may be a 3", "cut off"),
    ("I cannot rate this.", "refused"),
    ("I can’t help with that.", "refused"),  # noqa: RUF001 (a typographic apostrophe)
    ("I'm sorry, but I can't give a score of 4.", "refused"),
    ("I am unable to assess essays.", "refused"),
    ("As an AI, I do not grade.", "refused"),
    ("I must decline to rate it", "refused"),
    ("Unable to grade this essay.", "refused"),
    ("I'm afraid I can't score it: 1", "refused"),
    ("I do not feel comfortable grading. I won't rate it.", "refused"),
    ("It is not possible to give a score.", "refused"),
    ("We are sorry.", "refused"),
    ("Lo siento, no puedo.", "refused"),
    ("Es tut mir leid.", "refused"),
    ("抱歉，我无法评分", "refused"),  # noqa: RUF001 (a fullwidth comma)
    ("क्षमा करें", "refused"),
    ("4 or 5", "unreadable: several scores"),
    ("4 or five", "unreadable: several scores"),
    ("three or four", "unreadable: several scores"),
    ("between 3 and 5", "unreadable: several scores"),
    ("4-5", "unreadable: several scores"),
    ("4\u20135", "unreadable: several scores"),
    ("4 to 5", "unreadable: several scores"),
    ("4, 5", "unreadable: several scores"),
    ("4 5", "unreadable: several scores"),
    ("1-6", "unreadable: several scores"),
    ("Score: 4\nScore: 5", "unreadable: several scores"),
    ("It is not a 5, it is a 4", "unreadable: several scores"),
    ("1. Good thesis 2. Weak end. Score: 4", "unreadable: several scores"),
    ("1 2 3 4 5 6 " * 50, "unreadable: several scores"),
    ("0", "off the scale"),
    ("7", "off the scale"),
    ("44", "off the scale"),
    ("100", "off the scale"),
    ("-4", "off the scale"),
    ("−4", "off the scale"),  # noqa: RUF001 (the minus sign)
    ("minus four", "off the scale"),
    ("zero", "off the scale"),
    ("Score: ten", "off the scale"),
    ("4.5", "unreadable: no whole number"),
    ("4,5", "unreadable: no whole number"),
    ("4½", "unreadable: no plain number"),
    ("4²", "unreadable: no plain number"),
    ("4th", "unreadable: no plain number"),
    ("4%", "unreadable: no plain number"),
    ("1.2.3", "unreadable: no plain number"),
    ("1e0", "unreadable: no plain number"),
    (".5", "unreadable: no plain number"),
    ("①", "unreadable: no score"),
    ("4/5", "unreadable: another scale"),
    ("8/10", "unreadable: another scale"),
    ("4 out of 5 stars", "unreadable: another scale"),
    ("4/6/2024", "unreadable: another scale"),
    ("not a 4", "unreadable: no plain score"),
    ("at least 4", "unreadable: no plain score"),
    ("more than 4", "unreadable: no plain score"),
    (">4", "unreadable: no plain score"),
    ("4 or higher", "unreadable: no plain score"),
    ("4 at best", "unreadable: no plain score"),
    ("4 if it were longer", "unreadable: no plain score"),
    ("It could have been a 5", "unreadable: no plain score"),
    ("This does not deserve a 4", "unreadable: no plain score"),
    ("It isn't worth a 4", "unreadable: no plain score"),
    ("1 of the best essays I have read", "unreadable: no score"),
    ("3 paragraphs, well built", "unreadable: no score"),
    ("Solid work for a grade 5 student", "unreadable: no score"),
    ("Point 3 is weak", "unreadable: no score"),
    ("4+", "unreadable: no plain score"),
    ("Grade: 4-", "unreadable: no plain score"),
    ("~~4~~", "unreadable: no score"),
    ("The essay has 3 paragraphs", "unreadable: no score"),
    ("The essay has two main points", "unreadable: no score"),
    ("This one is good", "unreadable: no score"),
    ("One of the best", "unreadable: no score"),
    ("GPT-4", "unreadable: no score"),
    ("Above average", "unreadable: no score"),
    ("n/a", "unreadable: no score"),
    ("nan", "unreadable: no score"),
    ("null", "unreadable: no score"),
    ("\x00", "cut off"),
    ("�", "unreadable: no score"),
    ("4" * (LONGEST + 1), "unreadable: too long"),
]


@pytest.mark.parametrize(("text", "score"), READ_DIGITS)
def test_essay_answers_that_are_read(text, score):
    assert ESSAY.parse(text).scores == (score,)
    assert ESSAY.parse(text).reason is None


@pytest.mark.parametrize(("text", "reason"), REFUSED_DIGITS)
def test_essay_answers_that_are_refused(text, reason):
    assert ESSAY.parse(text).scores == (None,)
    assert ESSAY.parse(text).reason == reason


def test_a_refused_answer_tells_what_it_says():
    assert ESSAY.parse("4 or 5").notes == ("4 and 5",)
    assert ESSAY.parse("8/10").notes == ('"8/10", where the scale ends at 6',)
    assert ESSAY.parse("9").notes == ("9 is not on the scale 1 to 6",)
    assert ESSAY.parse("I cannot judge \x1b[31m").notes == ('"I cannot judge  [31m"',)


SIX = "AE: 1\nTRU: 2\nTYP: 0\nEXMPL: -1\nAVG: -2\nUS: 3"
SIX_SCORES = (1.0, 2.0, 0.0, -1.0, -2.0, 3.0)

READ_LINES = [
    SIX,
    SIX + "\n",
    SIX.replace("\n", "\r\n"),
    SIX.replace("\n", "\n\n"),
    SIX.replace("\n", ", "),
    SIX.replace("\n", "; "),
    SIX.replace("\n", " "),
    SIX.replace("\n", " | "),
    SIX.lower(),
    SIX.replace(": ", ":"),
    SIX.replace(": ", " : "),
    SIX.replace(": ", " = "),
    SIX.replace(": ", " -> "),
    SIX.replace(": ", " → "),
    SIX.replace(": ", " "),
    SIX.replace(": ", ":\n"),
    SIX.replace(": ", ": +").replace("+-", "-"),
    SIX.replace("-", "−"),  # noqa: RUF001 (the minus sign)
    SIX.replace("-", "–"),  # noqa: RUF001 (an en dash)
    SIX.replace("-", "minus "),
    SIX.replace("-", "negative "),
    SIX.replace("3", "three").replace("-1", "minus one"),
    SIX.replace("3", "3/3"),
    SIX.replace("3", "3 out of 3"),
    SIX.replace("3", "3.0"),
    SIX.replace("3", "3 (easy to use)"),
    SIX.replace("3", "3 - easy to use"),
    SIX.replace("3", "**3**"),
    SIX.replace("3", "<3>"),
    SIX.replace("3", "[3]"),
    SIX.replace("3", "３"),  # noqa: RUF001 (a fullwidth digit)
    SIX.replace(": ", "："),  # noqa: RUF001 (a fullwidth colon)
    SIX.translate(str.maketrans("0123", "٠١٢٣")),
    SIX.translate(str.maketrans("0123", "०१२३")),
    "```\n" + SIX + "\n```",
    "Here are my scores:\n\n" + SIX,
    SIX + "\n\nOverall a 2 of 3 sort of page, with 4 columns.",
    "- " + SIX.replace("\n", "\n- "),
    "* **" + SIX.replace(": ", ":** ").replace("\n", "\n* **"),
    "| dimension | score |\n|---|---|\n| "
    + SIX.replace(": ", " | ").replace("\n", " |\n| ")
    + " |",
    "1. " + "\n2. ".join(SIX.split("\n")),
    json.dumps(dict(zip(WEB.outcomes, [1, 2, 0, -1, -2, 3], strict=True))),
    json.dumps(dict(zip(WEB.outcomes, [1, 2, 0, -1, -2, 3], strict=True)), indent=1),
    "\n".join(reversed(SIX.split("\n"))),
    SIX + "\n" + SIX,
    SIX.replace("AE:", "AE (Aesthetics):"),
    SIX.replace("\n", "\nA clean page.\n"),
    "<think>AE: 3?</think>" + SIX,
    "Please do tell us more. " + SIX,
]

REFUSED_LINES = [
    ("", None, "empty answer"),
    ("1\n2\n0\n-1\n-2\n3", None, "unreadable: no named line"),
    ("The page looks fine.", None, "unreadable: no named line"),
    ("I'm sorry, I can't view images.", None, "refused"),
    ("I cannot see the screenshot", None, "refused"),
    ("<think>AE: 1", None, "cut off"),
    (SIX.replace("US: 3", ""), "US", "unreadable: a name without a score"),
    (SIX.replace("US: 3", "US:"), "US", "unreadable: a name without a score"),
    (SIX.replace("US: 3", "US: n/a"), "US", "unreadable: no score"),
    (SIX.replace("US: 3", "US: <score>"), "US", "unreadable: no score"),
    (SIX.replace("US: 3", "US: 4"), "US", "off the scale"),
    (SIX.replace("US: 3", "US: -4"), "US", "off the scale"),
    (SIX.replace("US: 3", "US: 2.5"), "US", "unreadable: no whole number"),
    (SIX.replace("US: 3", "US: 2 or 3"), "US", "unreadable: several scores"),
    (SIX.replace("US: 3", "US: 2-3"), "US", "unreadable: several scores"),
    (SIX.replace("US: 3", "US: 3/5"), "US", "unreadable: another scale"),
    (SIX.replace("US: 3", "US - 3"), "US", "unreadable: a name without a score"),
    (SIX.replace("US: 3", "USER: 3"), "US", "unreadable: a name without a score"),
    (SIX.replace("US: 3", "US: at least 2"), "US", "unreadable: no plain score"),
    (SIX + "\nUS: 2", "US", "unreadable: several scores"),
    (SIX.replace("US: 3", "US: I cannot rate this"), "US", "refused"),
    (SIX.replace("AE: 1", "Aesthetics: 1"), "AE", "unreadable: a name without a score"),
]


@pytest.mark.parametrize("text", READ_LINES)
def test_webdesign_answers_that_are_read(text):
    assert WEB.parse(text).scores == SIX_SCORES
    assert WEB.parse(text).reason is None


@pytest.mark.parametrize(("text", "name", "reason"), REFUSED_LINES)
def test_webdesign_answers_that_lack_a_score(text, name, reason):
    parsed = WEB.parse(text)
    lacking = [one for one, score in zip(WEB.outcomes, parsed.scores, strict=True) if score is None]
    assert lacking == (list(WEB.outcomes) if name is None else [name])
    assert parsed.reason == reason
    assert name is None or parsed.notes[0].startswith(name)


def error(category, severity, **more):
    return {"category": category, "severity": severity, "span": "x", **more}


MAJOR = error("Accuracy/Mistranslation", "Major")
MINOR = error("Fluency/Grammar", "Minor")
COMMA = error("Fluency/Punctuation", "Minor")
SOURCE = error("Source error", "Major")
GARBLED = error("Non-translation", "Major")


def errors(*entries):
    return json.dumps({"errors": list(entries)})


READ_ERRORS = [
    (errors(), 0.0),
    ("[]", 0.0),
    ("```json\n[]\n```", 0.0),
    ('{"errors":[ ]}', 0.0),
    ("No errors found.\n\n" + errors(), 0.0),
    (errors(error("No-error", "No-error")), 0.0),
    (errors(error("no error", "none")), 0.0),
    (errors(MAJOR), 5.0),
    (errors(MINOR), 1.0),
    (errors(COMMA), 0.1),
    (errors(COMMA, COMMA, COMMA), 0.3),
    (errors(MAJOR, MINOR, COMMA), 6.1),
    (errors(error("Fluency/Punctuation", "Major")), 5.0),
    (errors(error("Punctuation", "minor")), 0.1),
    (errors(error("fluency: punctuation", "MINOR")), 0.1),
    (errors(error("Fluency - Punctuation", "minor")), 0.1),
    (errors(error("Fluency", "minor", subcategory="Punctuation")), 0.1),
    (errors(error("Accuracy", " Major ")), 5.0),
    (errors(error("Style/Awkward", "Neutral")), 0.0),
    (errors(error("Style", "neutral"), MINOR), 1.0),
    (errors(GARBLED), 25.0),
    (errors(error("non translation", "major")), 25.0),
    (errors(error("Non_translation!", "Major")), 25.0),
    (errors(error("Nontranslation", "Minor")), 25.0),
    (errors(GARBLED, MAJOR), 25.0),
    (errors(error("Accuracy/Mistranslation", "Critical")), 5.0),
    (errors(SOURCE), 0.0),
    (errors(SOURCE, MINOR), 1.0),
    (errors(*[MAJOR] * 5), 25.0),
    (errors(*[MAJOR] * 7), 25.0),
    (errors(*[COMMA] * 4, *[MINOR] * 3, MAJOR), 8.1),
    (errors(*[MINOR] * 5, *[SOURCE] * 3), 5.0),
    (errors(error("Wizardry", "Minor")), 1.0),
    (errors({"category": "Grammar", "severity": "Minor"}), 1.0),
    (errors({"Category": "Grammar", "Severity": "Minor"}), 1.0),
    (json.dumps([MAJOR, MINOR]), 6.0),
    (json.dumps(MAJOR), 5.0),
    (json.dumps({"Errors": [MAJOR]}), 5.0),
    (json.dumps({"source": "ok", "errors": [MAJOR], "comment": "one"}), 5.0),
    (json.dumps({"errors": [MAJOR]}, indent=2), 5.0),
    ("```json\n" + errors(MAJOR) + "\n```", 5.0),
    ("```\n" + errors(MAJOR) + "\n```", 5.0),
    ("Here is my annotation:\n" + errors(MAJOR) + "\nI hope this helps.", 5.0),
    ('He wrote "so: ' + errors(MAJOR), 5.0),
    ("See [1] and [Note]. " + errors(MAJOR), 5.0),
    (errors(MAJOR) + "\n" + errors(MAJOR), 5.0),
    ("<think>" + errors(MINOR) + "</think>" + errors(MAJOR), 5.0),
    ('{"errors": [{"category": "Style", "severity": "Minor", "span": "x",},],}', 1.0),
    ('{"errors": [{"category": "Style", "severity": "Minor",\n}\n,\n]}', 1.0),
    ('{"errors": [{"category": "Style", "severity": "Minor", "span": "a,]"}]}', 1.0),
    ('{"errors": [{"category": "Style", "severity": "Minor", "span": "a } b"}]}', 1.0),
    ('{"errors": [{"category": "Style", "severity": "Minor", "span": "a \\" b"}]}', 1.0),
    ('{"errors": [{"category": "Style", "severity": "Minor", "span": "a\nb"}]}', 1.0),
    ('{"errors": [{"category": "Style", "severity": "Minor", "span": null}]}', 1.0),
    (errors(error("Locale convention/Date format", "Minor")), 1.0),
    (errors(error("Terminology", "Major"), error("Other", "Minor")), 6.0),
]

REFUSED_ERRORS = [
    ("", "empty answer"),
    ("No errors.", "unreadable: not JSON"),
    ("The translation is perfect.", "unreadable: not JSON"),
    ("0", "unreadable: not JSON"),
    ("null", "unreadable: not JSON"),
    ("NaN", "unreadable: not JSON"),
    ("[1, 2]", "unreadable: not JSON"),
    ("I cannot assess this translation.", "refused"),
    ("I'm sorry, but I can't help with that.", "refused"),
    ("{}", "unreadable: no list of errors"),
    ('{"errors": null}', "unreadable: no list of errors"),
    ('{"errors": {}}', "unreadable: no list of errors"),
    ('{"errors": "none"}', "unreadable: no list of errors"),
    ('{"errors": 0}', "unreadable: no list of errors"),
    ('{"score": 3}', "unreadable: no list of errors"),
    ('{"errors": [], "ERRORS": []}', "unreadable: no list of errors"),
    (errors("Major"), "unreadable: an error that is no object"),
    (errors(None), "unreadable: an error that is no object"),
    (errors({"category": "Style"}), "unreadable: an error without a severity"),
    (errors({"category": "Style", "severity": None}), "unreadable: an error without a severity"),
    (errors({"category": "Style", "severity": 5}), "unreadable: an error without a severity"),
    (errors({"severity": "Major"}), "unreadable: an error without a category"),
    (
        errors({"category": ["Style"], "severity": "Major"}),
        "unreadable: an error without a category",
    ),
    (errors({}), "unreadable: an error without a category"),
    (errors(error("Style", "Moderate")), "unreadable: unknown severity"),
    (errors(error("Style", "Major/Minor")), "unreadable: unknown severity"),
    (errors(error("Style", "none")), "unreadable: unknown severity"),
    (errors(error("Non-translation", "total")), "unreadable: unknown severity"),
    (errors(MAJOR, error("Style", "Moderate")), "unreadable: unknown severity"),
    (errors(MAJOR, error("No-error", "No-error")), "unreadable: errors beside no error"),
    (errors(MAJOR)[:-1], "cut off"),
    (errors(MAJOR)[:-3], "cut off"),
    (errors(MAJOR, MINOR)[:60], "cut off"),
    ('{"errors": [', "cut off"),
    ("<think>" + errors(), "cut off"),
    ("{'errors': []}", "unreadable: not JSON"),
    ("{errors: []}", "unreadable: not JSON"),
    ('{"errors": [] "x": 1}', "unreadable: not JSON"),
    ('{"errors": [,]}', "unreadable: not JSON"),
    ('{"errors": NaN}', "unreadable: not JSON"),
    ('{"errors": [], "n": ' + "9" * 5000 + "}", "unreadable: not JSON"),
    (errors() + errors(MAJOR), "unreadable: several answers"),
    ("[" * 5000 + "]" * 5000, "unreadable: not JSON"),
    ('{"errors": ' + "[" * 40 + "]" * 40 + "}", "unreadable: not JSON"),
    ('{"errors": [], "errors": [' + json.dumps(MAJOR) + "]}", "unreadable: several scores"),
]


@pytest.mark.parametrize(("text", "score"), READ_ERRORS)
def test_translation_errors_that_are_weighed(text, score):
    assert MQM.parse(text).scores == (score,)
    assert MQM.parse(text).reason is None


@pytest.mark.parametrize(("text", "reason"), REFUSED_ERRORS)
def test_translation_answers_that_are_refused(text, reason):
    assert MQM.parse(text).scores == (None,)
    assert MQM.parse(text).reason == reason


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (errors(*[MAJOR] * 7), "7 errors, of which the worst 5 count"),
        (errors(SOURCE), "1 source error(s), which weigh nothing"),
        (errors(GARBLED, MAJOR), "non-translation stands alone; other errors not counted"),
        (errors(error("Non-translation", "Minor")), "non-translation called minor"),
        (errors(error("Style", "Critical")), "critical weighs as major"),
        (
            errors(error("Wizardry", "Minor")),
            'unknown category "wizardry", weighed by its severity',
        ),
        (errors(error("Style", "Moderate")), '"moderate"'),
        ("[{},]".replace("{}", json.dumps(MAJOR)), "trailing commas"),
    ],
)
def test_what_was_overlooked_in_a_list_of_errors_is_told(text, note):
    assert MQM.parse(text).notes == (note,)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("85", 85.0),
        ("85.5", 85.5),
        ("Score: 85,5", 85.5),
        ("85/100", 85.0),
        ("0", 0.0),
        ("100 on a scale from 0 to 100", 100.0),
        ("٨٥", 85.0),
        ("101", None),
        ("-1", None),
        ("1,000", None),
        ("85%", None),
        ("80-90", None),
        ("9/10", None),
        ("1" * 400, None),
    ],
)
def test_numbers(text, score):
    assert parse(text, parser="number", rules=PERCENT).scores == (score,)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("poor", 1.0),
        ("Poor.", 1.0),
        ("**very good**", 3.0),
        ("Very  Good", 3.0),
        ("Answer: not relevant", 2.0),
        ("not_relevant", 2.0),
        ("The rating is poor.", 1.0),
        ("poor\n\nIt says little.", 1.0),
        ("poor, poor", 1.0),
        ("poor or very good", None),
        ("not poor", None),
        ("relevant", None),
        ("poorly", None),
        ("The poor reader may wonder", None),
        ("good", None),
        ("", None),
        ("I cannot judge this poor text", None),
        ("1", None),
    ],
)
def test_labels(text, score):
    assert parse(text, parser="label", rules=WORDS).scores == (score,)


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ('{"helpful": 4, "safe": 5}', (4, 5)),
        ('{"Safe": 5, "Helpful": 4, "why": "clear"}', (4, 5)),
        ('```json\n{"helpful": 4, "safe": 5,}\n```', (4, 5)),
        ('[{"helpful": 4, "safe": 5}]', (4, 5)),
        ('{"helpful": "4/5", "safe": "five"}', (4, 5)),
        ('{"helpful": 4.0, "safe": 5e0}', (4, 5)),
        ('{"helpful": 4}', (4, None)),
        ('{"helpful": 4, "safe": null}', (4, None)),
        ('{"helpful": 4, "safe": 6}', (4, None)),
        ('{"helpful": 4, "safe": 4.5}', (4, None)),
        ('{"helpful": 4, "safe": true}', (4, None)),
        ('{"helpful": 4, "safe": [5]}', (4, None)),
        ('{"helpful": 4, "safe": {"score": 5}}', (4, None)),
        ('{"helpful": 4, "safe": "4 or 5"}', (4, None)),
        ('{"helpful": 4, "safe": 1e999}', (4, None)),
        ('{"helpful": 4, "helpful": 5, "safe": 1}', (None, None)),
        ('{"helpful": 4, "Helpful": 5, "safe": 1}', (None, None)),
        ('{"helpful": 4, "safe": 1}{"helpful": 4, "safe": 2}', (None, None)),
        ('{"helpful": 4, "safe": Infinity}', (None, None)),
        ("helpful 4, safe 5", (None, None)),
        ("[4, 5]", (None, None)),
    ],
)
def test_json_objects(text, scores):
    assert parse(text, parser="json", rules=PAIR).scores == scores


@pytest.mark.parametrize(
    "text",
    [
        'Here: {"helpful": 4, "safe": 5}',
        '```json\n{"helpful": 4, "safe": 5}\n```',
        '{"helpful": "4", "safe": 5}',
        '{"helpful": 4, "safe": 5, "why": "clear"}',
        '{"Helpful": 4, "safe": 5}',
        '{"helpful": 4}',
    ],
)
def test_answers_held_to_a_schema_are_read_strictly(text):
    exact = Rules(PAIR.outcomes, 1.0, 5.0, exact=True)
    assert parse('{"helpful": 4, "safe": 5}', parser="json", rules=exact).scores == (4, 5)
    assert None in parse(text, parser="json", rules=exact).scores


EVERY = [
    ("digit", ESSAY.rules),
    ("number", PERCENT),
    ("label", WORDS),
    ("lines", WEB.rules),
    ("json", PAIR),
    ("mqm", MQM.rules),
    ("json", Rules(("score",), 1.0, 6.0, exact=True)),
]

PIECES = st.sampled_from(
    [
        *(
            "4",
            "5",
            "0",
            "7",
            "6",
            "-",
            "+",
            ".",
            ",",
            "/",
            "\u00bd",
            "\u0664",
            "\uff14",
            "four",
            "one",
        ),
        *(" or ", " to ", "between ", "not ", "score", ": ", "\n", "{", "}", "[", "]", '"', "\\"),
        *(
            "AE",
            "US",
            "TRU",
            "errors",
            "severity",
            "Major",
            "Minor",
            "category",
            "poor",
            "very good",
        ),
        *("I cannot rate", "helpful", "safe", "null", "NaN", "1e9", "<think>", "</think>", "```"),
        *("\x00", "\ud800", "\u202e", " ", " out of ", "|", "(", ")", "**"),
    ]
)
ANSWERS = st.one_of(st.text(), st.lists(PIECES, max_size=25).map("".join))


@given(text=ANSWERS)
@pytest.mark.parametrize(("parser", "rules"), EVERY)
def test_no_answer_raises_or_leads_off_the_scale(text, parser, rules):
    parsed = parse(text, parser=parser, rules=rules)
    assert len(parsed.scores) == len(rules.outcomes)
    assert (parsed.reason is None) == (None not in parsed.scores)
    for score in parsed.scores:
        assert score is None or rules.low <= score <= rules.high
        assert score is None or not rules.whole or score == int(score)


WRAPPERS = st.sampled_from(
    ["{}", " {}", "{}\n", "\n\n{}", "**{}**", "`{}`", "```\n{}\n```", "\u200b{}", "\ufeff{}\r\n"]
)


@given(text=ANSWERS.filter(lambda text: "`" not in text and "\\" not in text), wrapper=WRAPPERS)
@pytest.mark.parametrize(("parser", "rules"), EVERY[:3])
def test_space_and_markdown_around_an_answer_change_nothing(text, wrapper, parser, rules):
    if text.lstrip().startswith("<think"):
        return
    plain = parse(text, parser=parser, rules=rules)
    wrapped = parse(wrapper.replace("{}", text), parser=parser, rules=rules)
    assert wrapped.scores == plain.scores


@given(score=st.integers(-20, 20), case=st.sampled_from(["{}", "Score: {}", "**{}**", "{}/6"]))
def test_a_plain_number_is_read_exactly_on_the_scale(score, case):
    read = ESSAY.parse(case.replace("{}", str(score))).scores[0]
    assert read == (score if 1 <= score <= 6 else None)


@given(weights=st.lists(st.sampled_from([MAJOR, MINOR, COMMA, SOURCE]), max_size=12))
def test_a_penalty_is_the_sum_over_the_worst_five(weights):
    worth = {id(MAJOR): 5.0, id(MINOR): 1.0, id(COMMA): 0.1, id(SOURCE): 0.0}
    worst = sorted((worth[id(entry)] for entry in weights), reverse=True)[:5]
    assert MQM.parse(errors(*weights)).scores[0] == pytest.approx(sum(worst))


@pytest.mark.parametrize(
    "text",
    [
        "4" * LONGEST,
        "4 " * (LONGEST // 2),
        "one " * (LONGEST // 4),
        " " * (LONGEST - 1) + "4",
        "scale" + " " * (LONGEST - 6) + "4",
        "scale of " * (LONGEST // 9),
        "cannot" + " " * (LONGEST - 6),
        "cannot " * (LONGEST // 7),
        "[" * LONGEST,
        "[]" * (LONGEST // 2),
        '{"' * (LONGEST // 2),
        '"' * LONGEST,
        "{" * 31 + '"a\\' * 20_000,
        '{"a":' * 20_000,
        "," * LONGEST,
        '{"a": [' + "," + " " * (LONGEST - 20) + "]}",
        "[{}," * 20_000,
        "AE: " * (LONGEST // 4),
        "AE " * (LONGEST // 3),
        "(" * LONGEST,
        "<think>" * (LONGEST // 7),
        "\\boxed{" * (LONGEST // 7),
        "poor " * (LONGEST // 5),
        "\u0664" * LONGEST,
        "minus " * (LONGEST // 6),
        "out of " * (LONGEST // 7),
        "1 to " * (LONGEST // 5),
    ],
    ids=lambda text: repr(text[:10]),
)
@pytest.mark.parametrize(("parser", "rules"), [EVERY[0], *EVERY[2:6]])
def test_no_answer_takes_long(text, parser, rules):
    start = time.process_time()
    parse(text, parser=parser, rules=rules)
    assert time.process_time() - start < 2.0


def test_every_parser_is_tried_by_the_fuzz_above():
    assert {parser for parser, _ in EVERY} == set(PARSERS)
