"""How an interval is made, as a value: `Posterior(level=0.9)` is passed, never a flag."""

from errbar.uncertainty.bootstrap import Bootstrap
from errbar.uncertainty.posterior import Posterior

__all__ = ["Bootstrap", "Posterior"]
