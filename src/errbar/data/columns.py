"""Columns of the outcomes table: what each one means and the names it may have.

| column | meaning |
|---|---|
| `system` | what is being compared: a model, a prompt, an agent |
| `task` | data set or benchmark |
| `question` | id, unique within its task; always text, so that 007 stays 007 |
| `trial` | index of the repeat |
| `outcome` | 0 or 1, a category, or a reward; null where there is none |
| `status` | ok, error, timeout, limit, unscored, abstained, missing: apart from the outcome |
| `confidence` | higher is surer; used to rank |
| `answer`, `target`, `cluster`, `weight`, `cost` | as their names say |

A row is one trial of one question by one system. Only `question` and `outcome` are required.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from types import MappingProxyType

from errbar.base.remarks import some_of, way_to_say
from errbar.errors import InputError, UnknownColumn

_BETWEEN = re.compile(r"(?<=\w)\s*[?:*#]+\s*$|[\s_\-]+|[?:*]+\s*$")


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """Normalize a name: lower case, without spaces, hyphens, underscores and a final ?, :, * or #.

    Examples
    --------
    >>> {plain_name(one) for one in ("Question ID", "question-id", "questionId", " question_id ")}
    {'questionid'}
    >>> plain_name("Resolved? "), plain_name("Question #")
    ('resolved', 'question')
    """
    return _BETWEEN.sub("", name).lower()


def _plain(*names: str) -> frozenset[str]:
    return frozenset(map(plain_name, names))


# Columns with a system's response. A label next to one may be the reference answer.
PREDICTIONS = _plain(
    *("prediction", "predictions", "predicted", "pred", "preds", "predicted_label", "pred_label"),
    *("model_prediction", "y_pred", "yhat", "y_hat", "predicted_class"),
)
ANSWERS = PREDICTIONS | _plain(
    *("answer", "model_answer", "predicted_answer", "extracted_answer", "parsed_answer"),
    *("response", "model_response", "output", "model_output", "completion", "generation"),
    *("guess", "choice", "result", "verdict"),
)
# Columns with the response text: a table with one such column is about one system.
RESPONSES = _plain(
    *("response", "responses", "output", "outputs", "prediction", "predictions", "pred"),
    *("completion", "generation", "generated_text", "model_output", "model_response"),
    *("model_answer", "actual_output", "final_answer", "final_output", "final_response"),
    *("generated_answer", "assistant_answer", "llm_answer", "llm_response", "llm_output"),
)
# Columns with the reference answer.
REFERENCES = _plain(
    *("target", "gold", "gold_answer", "gold_label", "golden", "reference", "reference_answer"),
    *("expected", "expected_answer", "expected_output", "ground_truth", "truth", "true_label"),
    *("y_true", "actual", "correct_answer", "answer_key", "label"),
)
# Properties of a question or settings of a run: numbers between 0 and 1 that are not outcomes.
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
# Measurements of a response: several of these in a row are scores of one system.
MEASURES = _plain(
    *("relevance", "fluency", "coherence", "consistency", "faithfulness", "groundedness"),
    *("clarity", "helpfulness", "harmlessness", "harmfulness", "honesty", "toxicity", "bias"),
    *("safety",),
    *("conciseness", "completeness", "correctness", "factuality", "creativity", "style", "tone"),
    *("quality", "accuracy", "precision", "recall", "f1", "f1_score", "bleu", "rouge", "rouge1"),
    *("rouge2", "rougel", "rouge_l", "meteor", "bertscore", "bert_score", "bleurt", "chrf", "wer"),
    *("cer", "exact_match", "em", "hallucination", "answer_relevancy", "context_precision"),
    *("answer_correctness", "answer_similarity", "answer_relevance", "context_relevance"),
    *("context_recall", "usefulness", "readability", "depth", "ndcg", "mrr", "map", "auc", "iou"),
)
_FLAG = re.compile(r"(is|has|was|needs|requires|use|uses|do|contains)[\s_\-]+\w", re.IGNORECASE)
# Summary rows and columns.
TOTALS = _plain(
    *("average", "averages", "avg", "mean", "total", "totals", "sum", "overall", "all"),
    *("aggregate", "aggregated", "summary", "grand total", "grand mean", "grand average"),
    *("overall average",),
    *("overall mean", "overall score", "overall accuracy", "total score", "average score"),
    *("mean score", "avg score", "macro avg", "micro avg", "weighted avg", "macro average"),
    *("micro average", "weighted average", "macro", "micro", "accuracy", "Σ", "∑", "Ø", "⌀", "μ"),
    *("subtotal", "gesamt", "summe", "durchschnitt", "mittelwert", "insgesamt", "moyenne"),
    *("somme", "total général", "promedio", "suma", "media", "totale", "somma", "média", "soma"),
    *("gemiddelde", "totaal", "среднее", "итого", "всего", "平均", "平均值", "合计"),
    *("总计", "合計", "평균", "합계"),
)
# Columns that name the scorer of a row.
SCORERS = _plain(
    *("metric", "metric_name", "metrics", "scorer", "scorer_name", "criterion", "criteria"),
    *("rubric", "dimension", "aspect", "evaluator", "grader", "judge", "measure", "score_name"),
    *("score_type", "check", "assertion", "rater", "annotator", "reviewer", "labeler"),
    *("judge_model", "judge_name", "judge_id", "grader_model", "evaluator_model", "rater_id"),
)
# An object under one of these names maps scorers to scores.
SCORES = _plain(
    *("score", "scores", "metric", "metrics", "rating", "ratings", "grade", "grades", "rubric"),
    *("rubrics", "evaluation", "evaluations", "eval", "evals", "judgement", "judgements"),
    *("judgment", "judgments", "grading", "graders", "scorers", "feedback", "rewards", "judges"),
)
# Parts of a benchmark; ids may restart within each.
PARTS = _plain(
    *("category", "subject", "subset", "split", "dataset", "data_set", "benchmark", "config"),
    *("config_name", "level", "topic", "domain", "section", "chapter", "field", "area", "group"),
    *("subcategory", "subtask", "sub_task", "task", "task_name", "task_type", "type", "kind"),
    *("source", "suite", "track", "skill", "discipline", "course", "exam", "year", "repo"),
    *("repository", "project", "document", "doc", "file", "difficulty", "version"),
)
# Variants of the same questions, which share their ids on purpose.
VERSIONS = _plain(
    *("language", "lang", "locale", "language_code", "translation", "target_language"),
    *("turn", "turn_id", "turn_idx", "turn_index"),
)
# Settings of a run: each value is a separate system.
SETTINGS = _plain(
    *("model", "model_name", "model_id", "agent", "agent_name", "method", "method_name"),
    *("condition", "variant", "treatment", "arm", "approach", "technique", "strategy", "setting"),
    *("setup", "ablation", "ablation_flags", "ablations", "baseline", "policy", "prompt"),
    *("prompt_name", "prompt_type", "prompt_style", "prompt_template", "prompt_version"),
    *("prompt_variant", "prompt_id", "prompting", "system_prompt", "template", "instruction"),
    *("persona", "format", "prompt_format", "scaffold", "temperature", "temp", "top_p", "top_k"),
    *("min_p", "sampling", "decoding", "shots", "shot", "n_shots", "num_shots", "n_shot", "k_shot"),
    *("num_fewshot", "fewshot", "few_shot", "cot", "use_cot", "reasoning", "reasoning_effort"),
    *("effort", "thinking", "thinking_budget", "budget", "max_tokens", "context_length"),
    *("max_steps", "tools", "use_tools", "tool_use", "rag", "retriever", "router", "retrieval"),
    *("use_rag", "memory", "framework", "harness", "provider", "backend", "engine", "quantization"),
    *("quant", "dtype", "algorithm", "optimizer", "learning_rate", "lr", "adapter", "finetuned"),
    *("fine_tuned", "architecture", "size", "model_size", "noise", "perturbation", "model_version"),
    *("model_family", "model_type", "deployment", "endpoint", "service", "assistant", "bot"),
    *("chatbot", "solver", "classifier", "predictor", "detector", "generator", "pipeline", "algo"),
    *("candidate", "contestant", "student", "team", "submission", "submitter", "experiment"),
    *("experiment_name", "exp", "run_name", "implementation", "revision", "release", "build"),
    *("commit", "branch", "provider_id", "provider_name", "agent_id", "agent_version"),
    *("scaffolding", "scaffold_name", "harness_name", "threshold", "cutoff", "prompt_profile"),
    *("prompt_set", "mode", "chunking", "chunker", "chunk_size", "chunk_overlap"),
    *("chunking_strategy", "embedding", "embedding_model", "embedder", "reranker", "search_type"),
)
# Checkpoints of a model in training.
CHECKPOINTS = _plain(
    *("step", "global_step", "training_step", "train_step", "checkpoint", "ckpt"),
    *("checkpoint_step", "training_epoch", "train_epoch", "training_iteration"),
)
# Columns that number the trials of a question, if they hold integers.
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
# Columns that number the progress of a run or its repeats: without ids, rows are not questions.
STEPS = _plain(
    *("step", "steps", "_step", "global_step", "train_step", "training_step", "step_num"),
    *("step_idx", "step_id", "step_number", "timestep", "time_step", "iteration", "iter"),
    *("train_epoch", "training_epoch", "trainer/global_step", "batch", "checkpoint", "ckpt"),
)
COUNTERS = STEPS | _plain(
    *("epoch", "seed", "random_seed", "fold", "cv_fold", "layer", "k", "threshold", "cutoff"),
    *("run", "run_id", "trial", "round", "temperature", "top_p", "shots", "n_shots", "num_shots"),
    *("date", "lr", "learning_rate", "alpha", "beta", "budget", "max_tokens"),
)
# Measures of which lower values are better, and marks of what went wrong.
LOWER_IS_BETTER = _plain(
    *("wer", "cer", "ter", "loss", "nll", "perplexity", "ppl", "mse", "mae", "rmse", "brier"),
    *("error_rate", "err_rate", "failure_rate", "fail_rate", "edit_distance", "distance"),
    *("latency", "latency_ms", "duration", "cost", "hallucination", "toxicity", "bias"),
    *("hallucination_rate", "harmfulness", "bits_per_byte", "bpb", "regret"),
)
WRONG_FLAGS = _plain(
    *("incorrect", "is_incorrect", "wrong", "is_wrong", "failed", "is_failed", "fail", "failure"),
    *("error", "is_error", "errors", "mistake", "is_mistake", "hallucinated", "is_hallucinated"),
    *("is_hallucination", "unsafe", "is_unsafe", "harmful", "is_harmful", "toxic", "is_toxic"),
    *("violation", "violated", "refused", "is_refusal", "jailbroken", "false", "misclassified"),
    *("attack_success", "attack_succeeded", "attack_successful", "jailbreak_success"),
    *("is_jailbroken", "jailbreak", "is_jailbreak", "asr", "attack_success_rate", "bypassed"),
    *("compromised", "leaked", "exfiltrated", "exploited", "injection_success", "is_vulnerable"),
)
# Identifiers unique to a run: rows that share one are copies.
MOMENTS = _plain(
    *("timestamp", "time", "created", "created_at", "started_at", "finished_at", "latency"),
    *("duration", "elapsed", "runtime", "uuid", "request_id", "response_id", "run_id"),
)
# Files that describe a run and contain no outcomes.
_SETTINGS = re.compile(
    r"(config|configuration|args|arguments|argv|settings|options|params|parameters|hparams|flags"
    r"|hyperparameters|meta|metadata|manifest|info|env|environment|setup|state|package|version)"
)


def is_flag(name: str) -> bool:
    """Whether a name is a flag of a question or a run, such as `is_hard`, and not a system.

    Examples
    --------
    >>> is_flag("is_hard"), is_flag("isolated-model"), is_flag("do_sample")
    (True, False, True)
    """
    return _FLAG.match(name.strip()) is not None


def is_settings_file(stem: str) -> bool:
    """Whether a file name is that of a settings file.

    Examples
    --------
    >>> is_settings_file("run_config"), is_settings_file("gpt-4o")
    (True, False)
    """
    return any(_SETTINGS.fullmatch(word) for word in re.split(r"[\s_.\-]+", stem.lower()))


def named_like(names: Iterable[str], known: frozenset[str]) -> list[str]:
    """The names whose normalized form is in `known`, in their order."""
    return [name for name in names if isinstance(name, str) and plain_name(name) in known]


def are_whole_numbers(values: Sequence[object]) -> bool:
    """Whether there is at least one value and all values are integers; nulls are ignored."""
    texts = {str(value).strip() for value in values if value is not None} - {""}
    return bool(texts) and all(map(_WHOLE_NUMBER.fullmatch, texts))


_WHOLE_NUMBER = re.compile(r"[-+]?\d{1,18}(\.0+)?")


# Names that harnesses use for each column, the most likely first.
USUAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "system": (
            *("model", "model_name", "model_id", "llm", "agent", "agent_name", "system_name"),
            *("method", "modell", "modèle", "modele", "modelo", "modello", "модель", "模型"),
            *("モデル", "모델", "sys", "run"),
        ),
        "task": ("dataset", "benchmark", "task_name", "subset"),
        "question": (
            *("question_id", "problem_id", "task_id", "instance_id", "sample_id", "item_id"),
            *("example_id", "doc_id", "prompt_id", "case_id", "test_id", "qid", "uid"),
            "unique_id",
            *("problem_idx", "question_idx", "question_no", "question_number", "question_num"),
            *("problem_number", "item_number", "item", "problem", "id", "index", "idx", "nodeid"),
            *("test_name", "test", "case", "example", "key", "name", "frage", "aufgabe"),
            *("q", "q_no", "q_num", "#", "no", "nr"),
            *("pregunta", "domanda", "pergunta", "вопрос", "задача", "问题", "题目"),
            *("問題", "질문"),
        ),
        "trial": (
            *("epoch", "attempt", "repeat", "repetition", "trial_id", "sample", "completion_id"),
            *("rollout", "seed", "idx_answer"),
        ),
        "outcome": (
            *("correct", "is_correct", "correctness", "passed", "pass", "is_pass", "success"),
            *("succeeded", "is_success", "resolved", "is_resolved", "solved", "score", "reward"),
            *("label", "grade", "verdict", "result", "acc", "accuracy", "exact_match", "em"),
            *("pass@1", "pass_at_1", "is_solved", "is_passed", "judge_score", "final_score"),
            *("cum_reward", "total_reward", "episode_reward", "follow_all_instructions"),
            *("episode_return", "total_return"),
            *("overall_score", "rating", "match", "is_match", "marks", "marks_awarded", "hit"),
            *("is_hit", "true_false", "richtig", "korrekt", "correcto", "corretto", "correto"),
            *("правильно", "верно", "正确", "是否正确", "正解", "ok"),
        ),
        "status": ("state",),
        "confidence": ("conf", "certainty", "probability", "prob"),
        "cluster": ("group", "participant_id", "participant"),
        "weight": ("weights",),
        "answer": ("predicted_answer", "extracted_answer", "parsed_answer"),
        "target": ("expected_answer", "gold_answer", "gold"),
        "cost": ("cost_usd", "usd", "usd_cost", "cost_in_usd", "total_cost_usd", "total_cost"),
    }
)


def _counted(nouns: Sequence[str]) -> tuple[str, ...]:
    """Names of a count: n_runs, num_runs, total_runs, runs_count, …"""
    forms = ("n_{}", "num_{}", "number_of_{}", "total_{}", "{}_count", "{}_total", "count_{}")
    return tuple(form.format(noun) for noun in nouns for form in forms)


_TRIALS = (
    *("trials", "attempts", "tries", "runs", "samples", "rollouts", "generations", "completions"),
    *("repeats", "repetitions", "responses", "trial", "attempt", "run", "sample", "rollout"),
)
# Other names of counts may count something else than the trials of a row; the values decide.
SURE_TRIALS = _plain("n", "trials", "n_trials", "num_trials", "n_samples", "num_samples", "n_total")
_RIGHT = ("correct", "success", "successes", "passed", "pass", "passes", "solved", "right")
# Names used in a table of counts, which has a row per question instead of one per trial.
USUAL_COUNTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **{meaning: USUAL[meaning] for meaning in ("system", "task", "question", "cluster")},
        "weight": USUAL["weight"],
        "trials": (
            "n",
            *_counted(_TRIALS),
            "n_total",
            "num_total",
            "total",
            *_TRIALS[1:10],
            "out_of",
        ),
        "correct": (
            *("c", "successes", "passes", *_counted(_RIGHT), "n_resolved", "num_resolved", "hits"),
            *("wins", "successful_runs", "successful_attempts", "successful_trials"),
            *("correct_runs", "correct_attempts", "correct_samples", "correct_trials"),
            *("passed_runs", "passed_attempts", "passed_samples", "passing_runs"),
            *("passed", "solved", "resolved"),
        ),
    }
)

INDEX = "(unnamed index)"  # label of an unnamed first column of a CSV file
ROW = "errbar row"  # row number, used as the question id when no column has ids

Sampler = Callable[
    [str], Sequence[object]
]  # returns some values of a column; none if there is no such column
Key = tuple[str, ...]  # a system, a task, and the values of further columns

# A failed row has no result: any outcome in it was filled in by the harness.
FAILED = ("error", "timeout", "missing", "failed")
UNSCORED = "unscored"  # never graded: missing under every policy, never a failure
NO_RESULT = (*FAILED, UNSCORED)
STATUSES = ("ok", "limit", "abstained", *NO_RESULT)


def unknown_name(name: object, known: list[str], sentence: str) -> str:
    """Error message for an unknown name, with the closest known name as a hint."""
    close = get_close_matches(str(name), known, n=1, cutoff=0.5)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"{sentence} {name!r}.{hint} There are: {list_names(known)}."


def list_names(names: Sequence[str], most: int = 30) -> str:
    """Join names with commas, up to `most` of them."""
    short = (repr(name) if len(repr(name)) <= 60 else f"{name!r:.59}…" for name in names)
    return some_of(short, most) or "none"


def require_meaning(meaning: str) -> None:
    """Raise an error unless `meaning` is a known column meaning."""
    known = list(dict.fromkeys([*USUAL, *USUAL_COUNTS]))
    if meaning not in known:
        raise UnknownColumn(unknown_name(meaning, known, "no column can mean"))


def require_column(name: str, known: Iterable[str], use: str = "to group by") -> None:
    """Raise an error unless the column exists."""
    present = list(known)
    if name not in present:
        raise UnknownColumn(unknown_name(name, present, f"there is no column {use} named"))


def require_statuses(found: Iterable[str]) -> None:
    """Raise an error if a status is unknown."""
    unknown = sorted(set(found) - set(STATUSES))
    if unknown:
        raise InputError(
            f"status {unknown[0]!r} is not known; it must be one of {', '.join(STATUSES)}. Map "
            f"another column, or none: {way_to_say('--map status=', 'status=None')}."
        )
