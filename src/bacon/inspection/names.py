"""What the name of a column says about its role."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = [
    "CLUSTERS",
    "GROUPS",
    "LONG_JUDGES",
    "LONG_SCORES",
    "PROBABILITIES",
    "RUNS",
    "SYSTEMS",
    "TEXTS",
    "among",
    "is_human",
    "is_id",
    "is_judge_prefixed",
    "is_length",
    "is_nested_score",
    "is_not_a_score",
    "is_rater",
    "is_scorer",
    "is_scoring",
    "label_rank",
    "words_of",
]

EXACT_LABELS = ("human", "label", "score", "rating", "gold")
HUMAN = frozenset(
    "human humans gold crowd annotator annotators expert experts rater raters truth groundtruth "
    "people mturk turker worker assessor annotation annotations".split()
)
WEAK_LABELS = frozenset("label labels rating ratings score annotated".split())
RATER = re.compile(
    r"(^|[_\-. ])(rater|annotator|expert|worker|assessor|coder|labell?er)s?[_\-. ]?\d+([_\-. ]|$)"
)

JUDGE_PREFIX = re.compile(r"judges?[_\-.: ]")
NESTED = re.compile(
    r"(judge_scores|scores?|ratings?|judgements?|judgments?|evals?|evaluations?|grades?|metrics)\."
    r"|(judge_scores|scores|ratings|judgements|judgments|evals|evaluations|grades)_"
)
SCORERS = re.compile(
    r"(chat)?gpt|claude|sonnet|haiku|opus|llama|gemini|gemma|palm|mistral|mixtral|qwen|deepseek|"
    r"davinci|vicuna|alpaca|falcon|commandr|flan|grok|kimi|glm|prometheus|llm|judge|autorater|"
    r"evaluator|x?comet|bleu|sacrebleu|spbleu|bleurt|rouge|bertscore|bartscore|chrf|meteor|"
    r"metricx|gemba|yisi|prism"
)
SHORT_SCORERS = frozenset("ter phi o yi nist cider spice mqm critic verifier metric".split())
SCORING = frozenset(
    "score scores rating grade verdict eval quality reward prediction predicted judgment "
    "judgement points preference".split()
)
SIZES = frozenset(
    "id ids uid idx index row rows line position pos nr num seed fold run runs len length chars "
    "characters word words token tokens count cost costs price latency time seconds duration ms "
    "date year month day hour timestamp temperature version".split()
)
"""Words of columns of ids, sizes, costs and times."""

REMARKS = frozenset(
    "reason reasons rationale explanation comment comments feedback prompt raw status error".split()
)
"""Words of columns where a judge says more than its answer."""

NOT_A_SCORE = (
    SIZES
    | REMARKS
    | frozenset(
        "order no number split weight weights pi entropy logprob logppl confidence age turn turns "
        "rank".split()
    )
)

LENGTHS = frozenset("len length lengths chars characters words tokens".split())
IDS = frozenset("id ids uid uuid guid key qid pid sid".split())
ID_NAMES = frozenset("item question prompt example sample instance query doc document".split())

SYSTEMS = tuple(
    "system system_id system_name model model_name model_id method variant arm condition engine "
    "bot agent assistant team provider generator candidate policy config checkpoint".split()
)
GROUPS = (
    *SYSTEMS,
    *"group pair subset category domain dataset task language lang genre topic source split".split(),
)
CLUSTERS = tuple(
    "prompt_id prompt seg_id segment_id segment seg query_id query qid question_id question "
    "article_id article instruction_id instruction story_id passage_id example_id source_id "
    "src_id input_id context_id conversation_id conversation dialogue_id dialog_id session_id "
    "document_id doc_id document doc topic_id topic user_id user cluster cluster_id".split()
)
TEXTS = tuple(
    "text answer response output completion generation summary translation target hypothesis "
    "story essay content answer_text output_text response_text model_output generated_text "
    "message reply candidate".split()
)
PROBABILITIES = tuple(
    "pi pi_i inclusion_probability inclusion_prob incl_prob prob_inclusion sampling_probability "
    "sampling_prob selection_probability selection_prob".split()
)
LONG_JUDGES = tuple(
    "judge judge_name judge_model judge_id evaluator evaluator_model evaluator_name grader "
    "autorater llm_judge llm metric metric_name model model_name".split()
)
LONG_SCORES = tuple(
    "score judge_score rating value grade verdict judgment judgement vote points prediction "
    "label result answer".split()
)
RUNS = tuple(
    "run run_id run_no run_number repeat repetition rep replicate trial attempt iteration".split()
)


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case, digits at their ends left out."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return [word.rstrip("0123456789") or word for word in re.findall(r"[a-z0-9]+", parted)]


def among(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the columns called one of `names`, whatever their case, in the order of `names`."""
    lower: dict[str, list[str]] = {}
    for column in columns:
        lower.setdefault(column.lower(), []).append(column)
    return [column for name in names for column in lower.get(name, ())]


def label_rank(name: str) -> int | None:
    """Return how soon a column is taken for the labels, 0 first; None if its name is no label's."""
    lower = name.lower()
    if lower in EXACT_LABELS:
        return EXACT_LABELS.index(lower)
    if lower.startswith("human"):
        return 10
    if is_human(name):
        return 11
    if WEAK_LABELS & set(words_of(name)) and not (is_judge_prefixed(name) or is_scorer(name)):
        return 12 if not is_nested_score(name) else None
    return None


def is_human(name: str) -> bool:
    """Whether the name says that people gave these values."""
    return bool(HUMAN & set(words_of(name)))


def is_rater(name: str) -> bool:
    """Whether the column is one of several raters'."""
    return RATER.search(name.lower()) is not None


def is_judge_prefixed(name: str) -> bool:
    """Whether the name begins with judge_ or the like."""
    return JUDGE_PREFIX.match(name.lower()) is not None


def is_nested_score(name: str) -> bool:
    """Whether the name stands under scores or the like, as nested JSON does."""
    return NESTED.match(name.lower()) is not None


def is_scorer(name: str) -> bool:
    """Whether a word of the name is that of a model or a metric that scores."""
    words = words_of(name)
    return any(SCORERS.match(word) or word in SHORT_SCORERS for word in words)


def is_scoring(name: str) -> bool:
    """Whether a word of the name says score, without saying whose."""
    return bool(SCORING & set(words_of(name)))


def is_not_a_score(name: str, *, in_words: bool = False) -> bool:
    """Whether the name is one of ids, sizes, costs or times, or of a judge's remarks.

    In a name that begins with judge_ only the last word counts, and remarks only of columns
    that hold words, since the rest of the name may be anything.
    """
    words = words_of(re.sub(r"_run\d+$", "", name))
    if not words:
        return False
    if is_judge_prefixed(name):
        return words[-1] in (SIZES | REMARKS if in_words else SIZES)
    return bool(NOT_A_SCORE & set(words)) and words[-1] not in SCORING


def is_length(name: str) -> bool:
    """Whether the column counts characters, words or tokens of something."""
    return bool(LENGTHS & set(words_of(name)))


def is_id(name: str) -> bool:
    """Whether the name is that of an id."""
    words = words_of(name)
    return bool(words) and (words[-1] in IDS or name.lower() in ID_NAMES)
