"""Errors of PyTorch's compiler, for programs that catch them; none is raised."""


class TorchDynamoException(RuntimeError):
    """The base of the others."""


class InternalTorchDynamoError(TorchDynamoException):
    """A mistake in the compiler."""


class Unsupported(TorchDynamoException):
    """A program that cannot be compiled."""


class BackendCompilerFailed(TorchDynamoException):
    """A backend that failed."""


class UserError(Unsupported):
    """A program that breaks a rule of the compiler."""


class TensorifyScalarRestartAnalysis(TorchDynamoException):
    """The compiler begins again."""
