"""Names of columns as people write them, and what those names rule out.

`Question ID`, `question-id`, `questionId` and `question_id` are one name: case, spaces, hyphens and
underscores are not part of it. The lists here name columns that must not be mistaken for outcomes
or systems: answers, reference answers, settings of a run, properties of a question, and totals.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

_BETWEEN = re.compile(r"[\s_\-]+")


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """A name without case, spaces, hyphens and underscores.

    Examples
    --------
    >>> {plain_name(one) for one in ("Question ID", "question-id", "questionId", " question_id ")}
    {'questionid'}
    """
    return _BETWEEN.sub("", name).lower()


def _plain(*names: str) -> frozenset[str]:
    return frozenset(map(plain_name, names))


# What a system said. An outcome beside it grades it; a label beside it may be what it should say.
PREDICTIONS = _plain(
    *("prediction", "predictions", "predicted", "pred", "preds", "predicted_label", "pred_label"),
    *("model_prediction", "y_pred", "yhat", "y_hat", "predicted_class"),
)
ANSWERS = PREDICTIONS | _plain(
    *("answer", "model_answer", "predicted_answer", "extracted_answer", "parsed_answer"),
    *("response", "model_response", "output", "model_output", "completion", "generation"),
    *("guess", "choice", "result", "verdict"),
)
# The text of what it said: a table that has one column of these is about one system.
RESPONSES = _plain(
    *("response", "responses", "output", "outputs", "prediction", "predictions", "pred"),
    *("completion", "generation", "generated_text", "model_output", "model_response"),
    *("model_answer", "actual_output"),
)
# What it should have said.
REFERENCES = _plain(
    *("target", "gold", "gold_answer", "gold_label", "golden", "reference", "reference_answer"),
    *("expected", "expected_answer", "expected_output", "ground_truth", "truth", "true_label"),
    *("y_true", "actual", "correct_answer", "answer_key", "label"),
)
# Properties of a question, or settings of a run: numbers of 0 to 1 that nobody scores.
PROPERTIES = _plain(
    *("temperature", "temp", "top_p", "min_p", "top_k", "difficulty", "hardness", "p_value"),
    *("pvalue", "p", "alpha", "threshold", "cutoff", "cost", "cost_usd", "price", "usd"),
    *("length_ratio", "ratio", "length", "tokens", "latency", "duration", "time", "seconds"),
    *("elapsed", "runtime", "confidence", "conf", "certainty", "probability", "prob", "logprob"),
    *("perplexity", "entropy", "loss", "weight", "weights", "std", "stderr", "se", "sd", "var"),
    *("variance", "ci", "ci_low", "ci_high", "lower", "upper", "discrimination", "guessing"),
    *("learning_rate", "lr", "dropout", "year", "fold", "seed", "level", "n", "count", "shots"),
    *("num_shots", "n_shots", "similarity", "overlap", "agreement", "kappa", "rank", "priority"),
)
# What is measured of a response: several of these in a row are scores of one system.
MEASURES = _plain(
    *("relevance", "fluency", "coherence", "consistency", "faithfulness", "groundedness"),
    *(
        "clarity",
        "helpfulness",
        "harmlessness",
        "harmfulness",
        "honesty",
        "toxicity",
        "bias",
        "safety",
    ),
    *("conciseness", "completeness", "correctness", "factuality", "creativity", "style", "tone"),
    *("quality", "accuracy", "precision", "recall", "f1", "f1_score", "bleu", "rouge", "rouge1"),
    *("rouge2", "rougel", "rouge_l", "meteor", "bertscore", "bert_score", "bleurt", "chrf", "wer"),
    *("cer", "exact_match", "em", "hallucination", "answer_relevancy", "context_precision"),
    *("context_recall", "usefulness", "readability", "depth", "ndcg", "mrr", "map", "auc", "iou"),
)
_FLAG = re.compile(r"(is|has|was|needs|requires|use|uses|do|contains)[\s_\-]+\w", re.IGNORECASE)
# Rows and columns that sum up the others.
TOTALS = _plain(
    *("average", "averages", "avg", "mean", "total", "totals", "sum", "overall", "all"),
    *(
        "aggregate",
        "aggregated",
        "summary",
        "grand total",
        "grand mean",
        "grand average",
        "overall average",
    ),
    *("overall mean", "overall score", "overall accuracy", "total score", "average score"),
    *("mean score", "avg score", "macro avg", "micro avg", "weighted avg", "macro average"),
    *("micro average", "weighted average", "macro", "micro", "accuracy", "Σ", "∑", "Ø", "⌀", "μ"),
)
# Which of several scorers a row is of.
SCORERS = _plain(
    *("metric", "metric_name", "metrics", "scorer", "scorer_name", "criterion", "criteria"),
    *("rubric", "dimension", "aspect", "evaluator", "grader", "judge", "measure", "score_name"),
    *("score_type", "check", "assertion", "rater", "annotator", "reviewer", "labeler"),
)
# An object under one of these names holds a score by each of several scorers.
SCORES = _plain(
    *("score", "scores", "metric", "metrics", "rating", "ratings", "grade", "grades", "rubric"),
    *("rubrics", "evaluation", "evaluations", "eval", "evals", "judgement", "judgements"),
    *("judgment", "judgments", "grading", "graders", "scorers", "feedback", "rewards", "judges"),
)
# A part of a benchmark in which ids may begin anew.
PARTS = _plain(
    *("category", "subject", "subset", "split", "dataset", "data_set", "benchmark", "config"),
    *("config_name", "level", "topic", "domain", "section", "chapter", "field", "area", "group"),
    *("subcategory", "subtask", "sub_task", "task", "task_name", "task_type", "type", "kind"),
    *("source", "suite", "track", "skill", "discipline", "course", "exam", "year", "repo"),
    *("repository", "project", "document", "doc", "file", "difficulty", "version"),
)
# The same questions in other words: their ids are shared on purpose.
VERSIONS = _plain("language", "lang", "locale", "language_code", "translation", "target_language")
# What numbers the trials of a question, if it holds whole numbers.
TRIAL_NUMBERS = _plain(
    *("run", "run_id", "run_no", "run_number", "run_index", "run_idx", "rep", "reps", "repeat_id"),
    *("repeat_number", "replicate", "replication", "iteration", "iter", "iteration_id"),
    *("sample_idx", "sample_index", "sample_no", "sample_num", "sample_number", "generation"),
    *("generation_id", "generation_idx", "gen", "gen_id", "rollout_id", "rollout_idx"),
    *("attempt_number", "attempt_no", "attempt_id", "attempt_idx", "attempt_index", "try"),
    *("try_number", "trial_number", "trial_no", "trial_num", "trial_idx", "trial_index"),
    *("completion_idx", "completion_index", "response_id", "response_idx", "round", "pass_number"),
    *("random_seed", "seed_id", "epoch_id", "draw", "resample"),
)
# What no two runs have alike: rows that share it are copies.
MOMENTS = _plain(
    *("timestamp", "time", "created", "created_at", "started_at", "finished_at", "latency"),
    *("duration", "elapsed", "runtime", "uuid", "request_id", "response_id", "run_id"),
)
# Files that describe a run and hold no outcomes.
_SETTINGS = re.compile(
    r"(config|configuration|args|arguments|argv|settings|options|params|parameters|hparams|flags"
    r"|hyperparameters|meta|metadata|manifest|info|env|environment|setup|state|package|version)"
)


def is_flag(name: str) -> bool:
    """Whether a name asks something of a question or a run rather than naming a system.

    Examples
    --------
    >>> is_flag("is_hard"), is_flag("isolated-model"), is_flag("do_sample")
    (True, False, True)
    """
    return _FLAG.match(name.strip()) is not None


def is_settings_file(stem: str) -> bool:
    """Whether the name of a file says that it holds the settings of a run.

    Examples
    --------
    >>> is_settings_file("run_config"), is_settings_file("gpt-4o")
    (True, False)
    """
    return any(_SETTINGS.fullmatch(word) for word in re.split(r"[\s_.\-]+", stem.lower()))


def named_like(names: Iterable[str], known: frozenset[str]) -> list[str]:
    """The names that are among those known, in their order."""
    return [name for name in names if isinstance(name, str) and plain_name(name) in known]


def are_whole_numbers(values: Sequence[object]) -> bool:
    """Whether all values that are there are whole numbers, and one is there at least."""
    some = [value for value in values if value is not None and str(value).strip() != ""]
    return bool(some) and all(map(_is_whole, some))


def _is_whole(value: object) -> bool:
    if isinstance(value, bool):
        return False
    text = str(value).strip()
    return re.fullmatch(r"[-+]?\d{1,18}(\.0+)?", text) is not None
