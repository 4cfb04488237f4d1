"""Interval methods, each a frozen value."""

from errbar.analysis.methods.base import Cell, Method
from errbar.analysis.methods.bootstrap import SEEN, Bootstrap
from errbar.analysis.methods.calibrated import Calibrated
from errbar.analysis.methods.population import Assumption
from errbar.analysis.methods.posterior import Posterior

__all__ = ["SEEN", "Assumption", "Bootstrap", "Calibrated", "Cell", "Method", "Posterior"]
