"""A hash of all the data of a problem, from which the core makes the keys of rows."""

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

SEED_BYTES = 32  # of the core


def table_seed(arguments: dict[str, Any]) -> bytes:
    """Return a cryptographic hash of data for the core: any change to it is another.

    The core knows sets of rows by the exclusive or of the keys of their rows. With keys
    that do not depend on the data one could make a table in which different sets are
    taken for the same (see cpp/data/keys.hpp).
    """
    digest = hashlib.blake2b(digest_size=SEED_BYTES, person=b"murtree rows")
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            content = _content(value)  # its size tells where it ends
            header = f"{name} {value.dtype.str} {value.shape} {content.size}:"
            digest.update(header.encode())
            digest.update(content.data)
        else:
            digest.update(f"{name} {value!r}:".encode())
    return digest.digest()


def _content(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return what tells an array from others of its shape, short where that is easy."""
    if array.dtype == np.uint8:  # 0/1 data
        return np.packbits(array)
    if array.size and (array == array.flat[0]).all():  # as weights often are
        return array.reshape(-1)[:1]
    return np.ascontiguousarray(array)
