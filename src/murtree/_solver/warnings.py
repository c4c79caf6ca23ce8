"""What estimators say when a search ends before a proof.

Apart from other checks: these are scikit-learn's, which takes a second to import.
"""

from sklearn.exceptions import ConvergenceWarning


class NotProvenWarning(ConvergenceWarning):
    """The search ended before the tree was proven optimal.

    The tree is the best one found, and its lower bound is valid. Given as it is when a
    callback or Ctrl-C (with ``on_interrupt="return"``) ended the search.

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
