"""Arrays in, arrays out: no names, no validation, no input or output.

A module has the name of its method.

Right trials among few draws:

- `urn`: hypergeometric, beta-binomial and Dirichlet draws, and plurality votes.
- `binomial`: credit at a known success rate; limits of a mean by a least favourable family.
- `beta`: posterior mean and variance of credit under a Beta prior.
- `tail_profile`: probability that the mean score of k attempts reaches each threshold.
- `left_tail`: pass@k beyond the trials, and its exponent.
- `partial_identification`: bounds on what no trial shows, and Imbens and Manski's interval.

Intervals and tests:

- `bounded_mean`: Gaffke's interval of a mean (`mean_ends`), the default, by a saddle-point
  approximation, and its test; one unseen question or cluster at the bound (`chances_of_sizes`).
- `interval`: normal, t, Clopper-Pearson (never Wilson), Korn and Graubard's, Hall's, Robson and
  Whitlock's, BCa, percentile.
- `resample`: weights of the bootstrap and the jackknife, of clusters too.
- `fourier_inversion`: posterior of a mean over independent questions.
- `difficulty`: posterior of the distribution of difficulty, by a Gibbs sampler.
- `hierarchical`: normal models of several means, shrunk to each other.
- `ratio`: ratios of two sums, as a cost per success.
- `sign_flip`: paired differences; McNemar's test without continuity correction.
- `power`: power of the sign-flip test.
- `betting`: confidence sequences, valid at every look; `drift`: drift over a series of runs.
- `variance_components`: how much comes from questions, and how much from trials.
- `prediction_powered`: a mean from few labels and many grades, what to label next, and scores by
  known rates of a judge (Rogan and Gladen).

Confidences:

- `sorting`: totals per distinct score; `risk_coverage`: curves and areas under them, with ties.
- `roc`: ROC curves, areas and DeLong's variance.
- `calibration`: isotonic recalibration and the parts of the Brier score.

Raters, games, ranks, questions:

- `agreement`: kappa, AC1 and alpha.
- `bradley_terry`: ratings of games; `connectivity`: which systems games link.
- `length_control`: AlpacaEval's win rates at equal length.
- `ranking_methods`: Borda, Copeland, win rates, Rasch, Elo with its K (`STEP`).
- `leave_out`: orders and ranks when questions are left out, and subsets that suffice.
- `item_response`: abilities of systems and difficulties of questions.
- `item_checks`: questions that look wrong, trials that are alike; Holm, Benjamini and Hochberg.
"""
