"""Classes of tensors that come with the library: fake tensors, which have a device and no memory."""

from torch._lazy import _table, lazy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch._subclasses.fake_tensor import CrossRefFakeMode as CrossRefFakeMode
    from torch._subclasses.fake_tensor import DynamicOutputShapeException as DynamicOutputShapeException
    from torch._subclasses.fake_tensor import FakeTensor as FakeTensor
    from torch._subclasses.fake_tensor import FakeTensorMode as FakeTensorMode
    from torch._subclasses.fake_tensor import UnsupportedFakeTensorException as UnsupportedFakeTensorException
else:
    __getattr__, __dir__ = lazy(
        __name__,
        ("fake_tensor", "fake_impls"),
        _table("""
_subclasses.fake_tensor: CrossRefFakeMode DynamicOutputShapeException FakeTensor FakeTensorMode UnsupportedFakeTensorException
"""),
    )

__all__ = "CrossRefFakeMode DynamicOutputShapeException FakeTensor FakeTensorMode UnsupportedFakeTensorException".split()
