"""Binary data with one bit per value, for tables that are large as bytes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class BitColumns:
    """Columns of bits; as an array it has a row for each sample and a byte per value.

    Parameters
    ----------
    words : ndarray of uint64 of shape (n_features, n_words)
        The bits of each column, as the core takes them: the first row in the lowest bit
        of the first word. The bits after the last row are 0.
    shape : tuple of int
        The number of rows and of columns.

    Examples
    --------
    >>> import numpy as np
    >>> columns = BitColumns(np.array([[5]], dtype=np.uint64), (3, 1))
    >>> np.asarray(columns).tolist()
    [[1], [0], [1]]
    """

    words: npt.NDArray[np.uint64]
    shape: tuple[int, int]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("Bits cannot be an array without a copy.")
        packed = self.words.astype("<u8", copy=False).view(np.uint8)
        by_column = np.unpackbits(
            packed, axis=1, count=self.shape[0], bitorder="little"
        )
        return np.ascontiguousarray(by_column.T, dtype=dtype or np.uint8)
