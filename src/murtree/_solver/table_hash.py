"""Hash of the data of a problem; the core derives the keys of rows from it."""

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

SEED_BYTES = 32  # as the core expects


def table_seed(arguments: dict[str, Any]) -> bytes:
    """Return a cryptographic hash of the data for the core.

    The core identifies a set of rows by the exclusive or of the keys of its rows. If
    keys did not depend on the data, one could construct a table in which different sets
    collide (see cpp/data/keys.hpp).
    """
    digest = hashlib.blake2b(digest_size=SEED_BYTES, person=b"murtree rows")
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            content = _content(value)  # the header has its size, as a separator
            header = f"{name} {value.dtype.str} {value.shape} {content.size}:"
            digest.update(header.encode())
            digest.update(content.data)
        else:
            digest.update(f"{name} {value!r}:".encode())
    return digest.digest()


def _content(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the values of an array that identify it for a given shape and dtype."""
    if array.dtype == np.uint8:  # binary data
        return np.packbits(array)
    if array.size and (array == array.flat[0]).all():  # common for weights
        return array.reshape(-1)[:1]
    return np.ascontiguousarray(array)
