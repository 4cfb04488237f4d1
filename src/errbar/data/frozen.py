"""Fields of frozen values, arrays included."""

import numpy as np


def freeze(target: object, **fields: object) -> None:
    """Set fields of a frozen dataclass; arrays can no longer be written to."""
    for name, value in fields.items():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(target, name, value)
