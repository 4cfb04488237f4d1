"""How many questions and trials it takes to see a difference, or to know a score."""

from errbar.planning.asking import plan
from errbar.planning.difficulty import Difficulty
from errbar.planning.result import Plan, Row

__all__ = ["Difficulty", "Plan", "Row", "plan"]
