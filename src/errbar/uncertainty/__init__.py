"""How an interval is made, as a value: `Calibrated(level=0.9)` is passed, never a flag."""

from errbar.uncertainty.bootstrap import Bootstrap
from errbar.uncertainty.calibrated import Calibrated
from errbar.uncertainty.choice import chosen_method
from errbar.uncertainty.method import Cell, Method
from errbar.uncertainty.posterior import Posterior

__all__ = ["Bootstrap", "Calibrated", "Cell", "Method", "Posterior", "chosen_method"]
