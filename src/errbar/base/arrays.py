"""Type aliases of arrays that the whole package uses."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Waves = NDArray[np.complexfloating[Any, Any]]
Numbers = NDArray[np.floating[Any] | np.integer[Any]]
Seed = np.random.Generator | int
Bounds = tuple[float, float]  # the lowest and the highest possible value
