"""The paper's judges, embeddings and study as bacon.toml, one text a study."""

from __future__ import annotations

__all__ = ["CONFIGS"]

OPENAI = ("gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano", "gpt-4o", "gpt-4o-mini")
GEMINI = ("gemini-2.5-flash", "gemini-2.5-flash-lite")
LLAMA = ("llama-3.1-8b",)

PLACES = (
    (OPENAI, "https://api.openai.com/v1", "OPENAI_API_KEY", ()),
    # Thoughts would take the only token of an answer.
    (
        GEMINI,
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
        ('reasoning_effort = "none"',),
    ),
    # A server on this machine, which needs no key.
    (LLAMA, "http://127.0.0.1:8000/v1", None, ()),
)
"""Models, their endpoint, the environment variable of its key, and parameters they all need."""

HEAD = """\
# The study as the paper has it. Every address is an endpoint that speaks the chat protocol of
# OpenAI: set them to where you have the models. Keys are read from the environment alone.
# bacon judge THIS_FOLDER --dry-run tells what it would cost.
"""

STAND_INS = """\
# The paper names two of its six judges of translations, gemini-2.5-flash and llama-3.1-8b; the
# other four stand in for those that it does not name. It asked each several times, and does not
# say how often: three times here.
"""


def _judges(models: tuple[str, ...], prompt: str, keys: str, parameters: tuple[str, ...]) -> str:
    """Return the tables of judges, by where they are asked.

    Parameters
    ----------
    models : tuple of str
        The judges.
    prompt : str
        Kind of prompt.
    keys : str
        Further lines of every table.
    parameters : tuple of str
        Parameters of every request.
    """
    tables = []
    for known, url, variable, own in PLACES:
        key = "" if variable is None else f'key_variable = "{variable}"\n'
        sent = ", ".join((*parameters, *own))
        more = f"parameters = {{{sent}}}\n" if sent else ""
        tables += [
            f'[[judge]]\nname = "judge_{model}"\nurl = "{url}"\nmodel = "{model}"\n{key}'
            f'prompt = "{prompt}"\n{keys}{more}'
            for model in models
            if model in known
        ]
    return "\n".join(tables)


TRANSLATION = ("gemini-2.5-flash", "gpt-4.1", "gpt-4.1-mini", "gpt-4o", "gpt-4o-mini", *LLAMA)

GREEDY = ("temperature = 0.0",)
ESSAYS = _judges((*GEMINI, *OPENAI, *LLAMA), "essay", "logprobs = 5\n", GREEDY)
TRANSLATIONS = _judges(TRANSLATION, "mqm", "runs = 3\nlogprobs = 0\n", ())
PAGES = _judges(
    ("gemini-2.5-flash-lite", *OPENAI), "webdesign", 'kind = "university"\nlogprobs = 5\n', GREEDY
)

TEXTS = """\
[embedding]
kind = "endpoint"
url = "https://api.openai.com/v1"
model = "text-embedding-3-large"
key_variable = "OPENAI_API_KEY"
"""

IMAGES = """\
[embedding]
kind = "image"
# A folder with the model, fetched from where you have it.
model = "siglip-base-patch16-224"
"""

PERSUADE = f"""\
{HEAD}
[pool]
file = "items.parquet"

{ESSAYS}
{TEXTS}columns = ["text"]

[study]
paper = "persuade"
labels = ["human"]
embeddings = "embeddings.parquet"
scale = [1, 6]
outcome = "ordinal"
"""

MQM = f"""\
{HEAD}
[pool]
file = "items.parquet"

{STAND_INS}
{TRANSLATIONS}
{TEXTS}columns = ["source", "target"]

[study]
paper = "mqm"
labels = ["human"]
embeddings = "embeddings.parquet"
group = "system"
cluster = "seg_id"
outcome = "zero-inflated"
"""

WEBDESIGN = f"""\
{HEAD}
[pool]
file = "items.parquet"
images = ["screenshot"]

{PAGES}
{IMAGES}columns = ["screenshot"]

[study]
paper = "webdesign"
labels = ["AE", "TRU", "TYP", "EXMPL", "AVG", "US"]
embeddings = "embeddings.parquet"
model = "ridge"
"""

CONFIGS = {"persuade": PERSUADE, "mqm": MQM, "webdesign": WEBDESIGN}
"""Study -> text of its bacon.toml."""
