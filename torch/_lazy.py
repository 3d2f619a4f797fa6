"""Names of the package that are imported when they are first touched.

SUBMODULES are attributes that are modules; ATTRIBUTES maps a name to the module that defines it.
"""

SUBMODULES = frozenset(
    "_logging _ops _tensor_str _utils autograd backends "
    "cpu cuda fft functional library linalg "
    "multiprocessing nn optim overrides profiler random return_types serialization "
    "special storage testing torch_version types utils version __config__ __future__".split()
)


def _table(text):
    names = {}
    for line in text.strip().splitlines():
        where, _, listed = line.partition(":")
        names.update(dict.fromkeys(listed.split(), "torch." + where.strip()))
    return names


ATTRIBUTES = _table("""
functional: atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod
cdist
functional: chain_matmul einsum lu meshgrid nonzero norm split stft tensordot unique unique_consecutive unravel_index
_tensor_str: set_printoptions
random: fork_rng get_rng_state initial_seed manual_seed seed set_rng_state
serialization: load save
storage: TypedStorage ByteStorage CharStorage ShortStorage IntStorage LongStorage HalfStorage FloatStorage
storage: DoubleStorage BoolStorage BFloat16Storage ComplexFloatStorage ComplexDoubleStorage
_legacy_types: ByteTensor CharTensor ShortTensor IntTensor LongTensor HalfTensor FloatTensor DoubleTensor
_legacy_types: BoolTensor BFloat16Tensor set_default_tensor_type
utils.dlpack: from_dlpack
_ops: ops
_default_device: get_default_device set_default_device
""")
