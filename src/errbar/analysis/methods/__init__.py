"""Interval methods, each a frozen value.

- `base`: what a method is (`Method`); `calibrated`: the default, for each of the three targets.
- `population`: means over new questions (`mean_of_sample`), their clusters (`clusters_of`), and the
  finite-population correction (`finite_population`).
- `learned`: by the distribution of difficulty; `chains`: its draws, and how many are needed.
- `posterior`: the documented normal intervals.
- `bootstrap`: items ranked by confidence, and the generator of a seed (`generator_of`).
"""

from errbar.analysis.methods.base import Cell, Method
from errbar.analysis.methods.bootstrap import SEEN, Bootstrap
from errbar.analysis.methods.calibrated import Calibrated
from errbar.analysis.methods.population import Assumption
from errbar.analysis.methods.posterior import Posterior

__all__ = ["SEEN", "Assumption", "Bootstrap", "Calibrated", "Cell", "Method", "Posterior"]
