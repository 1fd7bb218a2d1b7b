"""Words that columns of results files are called by."""

from __future__ import annotations

import re


def _listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


EXACT_LABELS = ("human", "label", "score", "rating", "gold")
"""Names of the labels, the surest first."""

HUMAN = frozenset(
    _listed(
        "human humans gold crowd annotator annotators expert experts rater raters truth "
        "groundtruth people mturk turker worker assessor annotation annotations"
    )
)
"""Words that say people gave these values."""

WEAK_LABELS = frozenset(_listed("label labels rating ratings score annotated"))

RATER = re.compile(
    r"(^|[_\-. ])(rater|annotator|expert|worker|assessor|coder|labell?er)s?[_\-. ]?\d+([_\-. ]|$)"
)

RATER_COLUMNS = _listed(
    "rater rater_id rater_name annotator annotator_id worker worker_id labeler labeller expert "
    "expert_id assessor coder"
)
"""Names of the column that names the rater, in a file of labels with a row per rater."""

JUDGE_PREFIX = re.compile(r"judges?[_\-.: ]")

NESTED = re.compile(
    r"(judge_scores|scores?|ratings?|judgements?|judgments?|evals?|evaluations?|grades?|metrics)\."
    r"|(judge_scores|scores|ratings|judgements|judgments|evals|evaluations|grades)_"
)
"""How nested JSON and its like begin the names of scores."""

SCORERS = re.compile(
    r"(chat)?gpt|claude|sonnet|haiku|opus|llama|gemini|gemma|palm|mistral|mixtral|qwen|deepseek|"
    r"davinci|vicuna|alpaca|falcon|commandr|flan|grok|kimi|glm|prometheus|llm|judge|autorater|"
    r"evaluator|x?comet|bleu|sacrebleu|spbleu|bleurt|rouge|bertscore|bartscore|chrf|meteor|"
    r"metricx|gemba|yisi|prism"
)
"""How the names of models and metrics that score begin."""

SHORT_SCORERS = frozenset(_listed("ter phi o yi nist cider spice mqm critic verifier metric"))
"""Such names that are too short for their beginning alone to tell."""

SCORING = frozenset(
    _listed(
        "score scores rating grade verdict eval quality reward prediction predicted judgment "
        "judgement points preference"
    )
)
"""Words that say score, without saying whose."""

SIZES = frozenset(
    _listed(
        "id ids uid idx index row rows line position pos nr num seed fold run runs len length "
        "chars characters word words token tokens count cost costs price latency time seconds "
        "duration ms date year month day hour timestamp temperature version"
    )
)
"""Words of columns of ids, sizes, costs and times."""

REMARKS = frozenset(
    _listed(
        "reason reasons reasoning rationale explanation justification critique thought thoughts "
        "thinking analysis comment comments feedback raw status error"
    )
)
"""Words of columns where a judge says more than its answer."""

NOT_A_SCORE = frozenset(
    _listed(
        "prompt order no number split weight weights pi entropy logprob logppl confidence age "
        "turn turns rank"
    )
)
"""Further words that scores do not have in their names."""

LENGTHS = frozenset(_listed("len length lengths chars characters words tokens"))
IDS = frozenset(_listed("id ids uid uuid guid key qid pid sid"))
ID_NAMES = frozenset(_listed("item question prompt example sample instance query doc document"))

SYSTEMS = _listed(
    "system system_id system_name model model_name model_id method variant arm condition engine "
    "bot agent assistant team provider generator candidate policy config checkpoint llm"
)

GROUPS = SYSTEMS + _listed(
    "group pair subset category domain dataset task language lang genre topic source split"
)

CLUSTERS = _listed(
    "prompt_id prompt seg_id segment_id segment seg query_id query qid question_id question "
    "article_id article instruction_id instruction story_id passage_id example_id source_id "
    "src_id input_id context_id conversation_id conversation dialogue_id dialog_id session_id "
    "document_id doc_id document doc topic_id topic user_id user cluster cluster_id"
)
"""Names of what items share, the finest divisions first."""

TEXTS = _listed(
    "text answer response output completion generation summary translation target hypothesis "
    "story essay content answer_text output_text response_text model_output generated_text "
    "message reply candidate"
)

PROBABILITIES = _listed(
    "pi pi_i inclusion_probability inclusion_prob incl_prob prob_inclusion sampling_probability "
    "sampling_prob selection_probability selection_prob"
)

LONG_JUDGES = _listed(
    "judge judge_name judge_model judge_id evaluator evaluator_model evaluator_name grader "
    "autorater llm_judge llm metric metric_name model model_name"
)
"""Names of the column that names the judge, in a file with a row per item and judge."""

LONG_SCORES = _listed(
    "score judge_score rating value grade verdict judgment judgement vote points prediction "
    "label result answer"
)

RUNS = _listed(
    "run run_id run_no run_number repeat repetition rep replicate trial attempt iteration"
)

MEANS_MISSING = frozenset(
    _listed(
        "na n/a #n/a nan none null nil missing error failed fail failure refused refusal invalid "
        "unparsable unparseable parse_error timeout unknown skipped - -- ?"
    )
)
"""Words that, among numbers, say there is none."""
