"""What can go wrong, one class for each kind; the messages are the library's."""

__all__ = [
    "DataError", "KernelError", "ModelFileError", "NoVarianceError", "NotDefiniteError", "ParameterError", "UnsupportedError"
]


class ParameterError(ValueError):
    """A parameter outside its range."""


class DataError(ValueError):
    """Data that cannot be used."""


class NoVarianceError(DataError):
    """Points that are all the same to the kernel."""


class NotDefiniteError(DataError):
    """A Gram matrix that, with its regulariser, is not positive definite.

    Examples
    --------
    >>> from mercer import KernelRidge, errors
    >>> try:
    ...     KernelRidge(alpha=0.0, fit_intercept=True).fit([[0.0], [0.0]], [1.0, 2.0])
    ... except errors.NotDefiniteError as error:
    ...     print("not positive definite" in str(error))
    True
    """


class KernelError(ValueError):
    """The text of a kernel that cannot be read; the message names the column.

    Examples
    --------
    >>> from mercer import errors, kernels
    >>> try:
    ...     kernels.parse("rbf(gamma=0.5")
    ... except errors.KernelError as error:
    ...     print("column" in str(error))
    True
    """


class ModelFileError(ValueError):
    """A model file that is damaged or of another kind."""


class UnsupportedError(NotImplementedError):
    """A combination that does not exist."""
