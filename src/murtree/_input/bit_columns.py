"""Binary data with one bit per value, for tables that are large as bytes."""

from typing import Any

import numpy as np
import numpy.typing as npt


class BitColumns:
    """Columns of bits; as an array it has a row for each sample and a byte per value.

    Parameters
    ----------
    packed : ndarray of uint8 of shape (n_features, n_bytes)
        The bits of each column, the first row in the lowest bit. A column has a whole
        number of 64-bit words; the bits after the last row are 0.
    n_rows : int
        The number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> columns = BitColumns(np.array([[5, 0, 0, 0, 0, 0, 0, 0]], dtype=np.uint8), 3)
    >>> np.asarray(columns).tolist()
    [[1], [0], [1]]
    """

    def __init__(self, packed: npt.NDArray[np.uint8], n_rows: int) -> None:
        self.shape = (n_rows, packed.shape[0])
        self._packed = packed

    @property
    def words(self) -> npt.NDArray[np.uint64]:
        """The words of each column, as the core takes them."""
        return self._packed.view("<u8").astype(np.uint64, copy=False)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("Bits cannot be an array without a copy.")
        n_rows = self.shape[0]
        by_column = np.unpackbits(self._packed, axis=1, count=n_rows, bitorder="little")
        return np.ascontiguousarray(by_column.T, dtype=dtype or np.uint8)


def bytes_of_column(n_rows: int) -> int:
    """Return the number of bytes of a column: those of whole words.

    Examples
    --------
    >>> bytes_of_column(65)
    16
    """
    return -(-n_rows // 64) * 8
