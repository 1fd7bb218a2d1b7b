"""The paper's judges, embeddings and study as bacon.toml, one text a study."""

from __future__ import annotations

__all__ = ["CONFIGS"]

OPENAI = ("gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano", "gpt-4o", "gpt-4o-mini")
GEMINI = ("gemini-2.5-flash", "gemini-2.5-flash-lite")
LLAMA = ("llama-3.1-8b",)
PLACES = {
    "OPENAI_API_KEY": ("https://api.openai.com/v1", OPENAI),
    "GEMINI_API_KEY": ("https://generativelanguage.googleapis.com/v1beta/openai", GEMINI),
    "LLAMA_API_KEY": ("http://127.0.0.1:8000/v1", LLAMA),
}
"""Environment variable of a key -> endpoint, and the paper's models that are asked there."""

HEAD = """\
# The study as the paper has it. Every address is an endpoint that speaks the chat protocol of
# OpenAI: set them to where you have the models. Keys are read from the environment alone.
# bacon judge THIS_FOLDER --dry-run tells what it would cost.
"""


def _judges(models: tuple[str, ...], prompt: str, more: str = "") -> str:
    """Return the tables of judges."""
    return "\n".join(
        f'[[judge]]\nname = "judge_{model}"\nurl = "{url}"\nmodel = "{model}"\n'
        f'key_variable = "{variable}"\nprompt = "{prompt}"\n{more}'
        for variable, (url, known) in PLACES.items()
        for model in models
        if model in known
    )


TRANSLATION = ("gemini-2.5-flash", "gpt-4.1", "gpt-4.1-mini", "gpt-4o", "gpt-4o-mini", *LLAMA)
"""The paper names the first and the last of its six; the others are of the same makers."""

ONE_DIGIT = "parameters = {temperature = 0.0}\nlogprobs = 5\n"
SAMPLED = "runs = 3\nlogprobs = 0\n"
SHOWN = 'kind = "university"\nparameters = {temperature = 0.0}\nlogprobs = 5\n'

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

{_judges((*GEMINI, *OPENAI, *LLAMA), "essay", ONE_DIGIT)}
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

{_judges(TRANSLATION, "mqm", SAMPLED)}
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

{_judges(("gemini-2.5-flash-lite", *OPENAI), "webdesign", SHOWN)}
{IMAGES}columns = ["screenshot"]

[study]
paper = "webdesign"
labels = ["AE", "TRU", "TYP", "EXMPL", "AVG", "US"]
embeddings = "embeddings.parquet"
model = "ridge"
"""

CONFIGS = {"persuade": PERSUADE, "mqm": MQM, "webdesign": WEBDESIGN}
"""Study -> text of its bacon.toml."""
