"""Warnings for searches that end before a proof.

In a separate module because they derive from scikit-learn, which is slow to import.
"""

from sklearn.exceptions import ConvergenceWarning


class NotProvenWarning(ConvergenceWarning):
    """The search ended before the tree was proven optimal.

    The tree is the best one found, and its lower bound is valid. This class itself is
    used if a callback or Ctrl-C (with ``on_interrupt="return"``) ended the search.

    Examples
    --------
    >>> import warnings
    >>> from murtree import NotProvenWarning
    >>> warnings.simplefilter("error", NotProvenWarning)  # insist on a proof
    """


class TimeLimitWarning(NotProvenWarning):
    """The time limit ended the search before the tree was proven optimal.

    The tree is the best one found, and its lower bound is valid.

    Examples
    --------
    >>> import warnings
    >>> from murtree import TimeLimitWarning
    >>> warnings.simplefilter("ignore", TimeLimitWarning)  # good enough is fine
    """
