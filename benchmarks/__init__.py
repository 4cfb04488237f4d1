"""Studies and measurements behind every figure of the documentation; `scripts/bench NAME` runs one.

Peers run side by side with errbar, in one process, in turn, and figures are ratios.

Is what it says true?

- `coverage`: how often intervals hold the truth; `adversarial`: on shapes that nobody tuned.
- `ranked_coverage`: of ranked metrics; `flat_prior_coverage`: of the documented functions.
- `largest_cluster`: over clusters; `failures`: with failed trials; `seeds`: between seeds.
- `compare`, `probabilities`: verdicts; `rank`: ranks; `plan`: power.
- `monitor`, `history`: runs over time; `repeated_tests`: the plug-in of pytest.
- `agreement`, `calibration`, `cost`, `items`, `judges`, `labels`, `noise`, `preferences`,
  `scaling`: what the command on that subject prints.
- `order_effect`: judges that favour the answer shown first.

How long does it take?

- `repeated_sampling`: single calls beside scorio; `ranked`: ranked metrics; `ranked_scale`: of many
  rows; `calibrated`: intervals; `fourier_inversion`: posteriors of means.
- `outcomes`: beside DuckDB's GROUP BY; `scale`, `scale_limits`: how far it goes.
- `readers`: beside a harness's own reader; `reader_sizes`: per row, beside json.loads.
- `report`: the page in a browser; `inspect_extension`: inside inspect_ai.
- `walk`: the modules on the way of a row.

What if something breaks?

- `fuzz`: changed logs and arguments; `faults`: killed processes, full disks.

Data, and the clock:

- `make_outcomes`, `table_shapes`: tables; `inspect_ai_log`, `reader_logs`, `reader_logs_boards`,
  `reader_logs_platforms`: logs; `stopwatch`: two ways timed in turn.
"""
