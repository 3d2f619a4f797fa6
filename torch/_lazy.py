"""Names of the package that are imported on first use, and the errors for names that do not exist.

SUBMODULES are attributes that are modules; ATTRIBUTES maps a name to the module that defines it.
"""

from __future__ import annotations

import sys
from _thread import get_ident
from posix import register_at_fork
from time import sleep

TYPE_CHECKING = False  # importing typing would take a third of the time of `import torch`
if TYPE_CHECKING:
    from typing import Any

SUBMODULES = frozenset(
    "_dynamo _inductor _jit_internal _library _logging _ops _subclasses _tensor_str _utils accelerator amp ao autograd backends "
    "classes compiler contrib cpu cuda distributed distributions fft func functional futures fx hub jit library linalg masked "
    "monitor mps mtia multiprocessing nn numa onnx optim overrides package profiler quantization quasirandom random return_types "
    "serialization signal special storage testing torch_version types utils version xpu __config__ __future__".split()
)


def _table(text: str) -> dict[str, str]:
    """Name -> module, from `module: name name ...`. Lines may break anywhere."""
    names, where = {}, ""
    for word in text.split():
        if word[-1] == ":":
            where = "torch." + word[:-1]
        else:
            names[word] = where
    return names


ATTRIBUTES = _table("""
utils.backend_registration: _register_device_module
functional: atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod
functional: cdist chain_matmul einsum lu meshgrid nonzero norm split stft tensordot unique unique_consecutive unravel_index
_tensor_str: set_printoptions
_lowrank: pca_lowrank svd_lowrank
_lobpcg: lobpcg
_linalg_utils: eig lstsq matrix_rank solve symeig
random: fork_rng get_rng_state initial_seed manual_seed seed set_rng_state thread_safe_generator
serialization: load save
storage: TypedStorage ByteStorage CharStorage ShortStorage IntStorage LongStorage HalfStorage FloatStorage
storage: DoubleStorage BoolStorage BFloat16Storage ComplexFloatStorage ComplexDoubleStorage
_legacy_types: ByteTensor CharTensor ShortTensor IntTensor LongTensor HalfTensor FloatTensor DoubleTensor
_legacy_types: BoolTensor BFloat16Tensor set_default_tensor_type
utils.dlpack: from_dlpack to_dlpack
_ops: ops
_default_device: get_default_device set_default_device
_functionalize: _disable_functionalization _enable_functionalization _from_functional_tensor _functionalize_commit_update
_functionalize: _functionalize_has_data_mutation _functionalize_replace _functionalize_sync _functionalize_unsafe_set
_functionalize: _is_functional_tensor _is_functional_tensor_base _sync _to_functional_tensor
_compile: compile
_functorch.apis: vmap
amp: GradScaler autocast
amp.autocast_mode: autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache get_autocast_cpu_dtype
amp.autocast_mode: get_autocast_dtype get_autocast_gpu_dtype get_autocast_ipu_dtype get_autocast_xla_dtype
amp.autocast_mode: is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled is_autocast_ipu_enabled
amp.autocast_mode: is_autocast_xla_enabled set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled
amp.autocast_mode: set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype set_autocast_ipu_dtype
amp.autocast_mode: set_autocast_ipu_enabled set_autocast_xla_dtype set_autocast_xla_enabled
accelerator: get_device_module
_c_names: AVG AggregationType AliasDb AnyType Argument ArgumentSpec AwaitType BenchmarkConfig BenchmarkExecutionStats Block
_c_names: BoolType BufferDict CallStack Capsule ClassType Code CompilationUnit CompleteArgumentSpec ComplexType
_c_names: ConcreteModuleType ConcreteModuleTypeBuilder DeviceObjType DictType EnumType ErrorReport ExecutionPlan FatalError
_c_names: FloatType Future FutureType Gradient Graph GraphExecutorState IODescriptor InferredType IntType InterfaceType
_c_names: JITException ListType LiteScriptModule ModuleDict Node NoneType NumberType OperatorInfo OptionalType ParameterDict
_c_names: PyObjectType PyTorchFileReader RRefType SUM ScriptClass ScriptClassFunction ScriptDict ScriptFunction ScriptList
_c_names: ScriptMethod ScriptModule ScriptModuleSerializer ScriptObject ScriptObjectProperty StaticModule StreamObjType
_c_names: ExcludeDispatchKeyGuard FileCheck FunctionSchema LockingLogger NoopLogger PyTorchFileWriter ThroughputBenchmark
_c_names: DeepCopyMemoTable DeserializationStorageContext SerializationStorageContext parse_schema
_c_names: ScriptDictIterator ScriptDictKeyIterator ScriptListIterator
_c_names: StringType SymBoolType SymIntType TensorType TracingState TupleType Type UnionType Use Value AcceleratorError
_symbolic: SymBool SymFloat SymInt sym_float sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum
_symbolic: sym_constrain_range sym_constrain_range_for_size sym_fresh_size
_tag: Tag
_asarray: asarray
_control_flow: cond while_loop
_queries: get_device has_mkl has_spectral is_distributed is_same_size is_vulkan_available init_num_threads Storage
jit: fork wait
""")


# Names written in Python on top of an operator; they exist only if the operator does.
_OVER_OPERATORS = {
    "stft": "stft", "istft": "istft", "multilabel_margin_loss": "multilabel_margin_loss",
    "multi_margin_loss": "multi_margin_loss", "fractional_max_pool2d": "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices": "fractional_max_pool2d", "fractional_max_pool3d": "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices": "fractional_max_pool3d", "conv_tbc": "conv_tbc", "rrelu": "rrelu",
    "rrelu_": "rrelu", "native_channel_shuffle": "native_channel_shuffle", "embedding_bag": "embedding_bag",
    "ctc_loss": "ctc_loss",
}  # fmt: skip


def without_operators(c: Any) -> list[str]:
    """The names above whose operators the extension `c` does not have."""
    spaces = c._VariableFunctions, c._nn, c._linalg
    return [name for name, operator in _OVER_OPERATORS.items() if not any(hasattr(space, operator) for space in spaces)]


def lazy(place: str, submodules: Any = (), attributes: Any = None, operators: Any = None) -> tuple[Any, Any]:
    """Make `__getattr__` and `__dir__` of the module `place`, which import what is touched first.

    That is a sub-module, or a name of `attributes`, which maps it to the module that defines it. `operators` is a module of the
    extension, whose `linalg_norm` is `norm` of `torch.linalg`. PyTorch's names that are not there yet raise an error.
    """
    module, attributes, prefix = sys.modules[place], attributes or {}, place.rpartition(".")[2] + "_"
    over = frozenset(name for name, where in attributes.items() if where == f"{place}.{name}")
    if over:
        module._FUNCTIONS_OVER_MODULES = over
        module.__class__ = _FunctionsOverModules

    def __getattr__(name: str) -> Any:
        if name in submodules:
            __import__(f"{place}.{name}")
            return sys.modules[f"{place}.{name}"]
        where = attributes.get(name)
        if where is not None:
            __import__(where)
            value = getattr(sys.modules[where], name)
        else:
            value = getattr(operators, prefix + name, None)
            if value is None:
                if name[:2] == "__":
                    raise AttributeError(f"module '{place}' has no attribute '{name}'", name=name, obj=module)
                from torch._absent import attribute_of_module

                raise attribute_of_module(module, name, sys._getframe(1))
        setattr(module, name, value)
        return value

    def __dir__() -> list[str]:
        found = (name[len(prefix) :] for name in dir(operators) if operators and name.startswith(prefix))
        return sorted({*vars(module), *submodules, *attributes, *found})

    return __getattr__, __dir__


class _FunctionsOverModules(type(sys)):  # type: ignore[misc]
    """A module with a function of a sub-module's name: the name stays the function's when the sub-module is imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if type(value) is type(sys) and name in self._FUNCTIONS_OVER_MODULES and hasattr(value, name):
            value = getattr(value, name)
        super().__setattr__(name, value)


class _CompleteModule(type(sys)):  # type: ignore[misc]
    """A module whose `__dict__` is complete, although its names are imported on first use: reading it imports them all."""

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        own = type(sys).__dict__["__dict__"].__get__(self)
        for name in own["_COMPLETE"]:
            if name not in own:
                getattr(self, name)
        return own


def complete_dict(place: str, names: Any) -> None:
    """For a module that packages iterate over: its `__dict__` shall have these names, when Python code reads it."""
    module = sys.modules[place]
    module._COMPLETE = tuple(names)  # type: ignore[attr-defined]
    module.__class__ = _CompleteModule


def names_what_is_absent(place: str) -> None:
    """For a module that imports nothing on first use. Hidden from type checkers, which know its names."""
    module = sys.modules[place]
    for name in without_operators(sys.modules["torch._C"]):
        vars(module).pop(name, None)
    module.__getattr__, _ = lazy(place)


class AbsentModules:
    """The last of Python's finders: it finds nothing, and says of a module of PyTorch's that it is not there yet.

    `importlib.util.find_spec` asks the same question, and gets None."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        if name[:6] == "torch." and sys._getframe(2).f_code.co_name == "_find_and_load_unlocked":
            from torch._absent import module_error

            error = module_error(name)
            if error is not None:
                raise error
        return None


def name_of_c(name: str) -> Any:
    """`__getattr__` of `torch._C`: names that PyTorch defines in C++, and this package in Python."""
    if name[:2] != "__":
        from torch import _c_names

        value = getattr(_c_names, name, None)
        if value is not None:
            return value
    raise AttributeError(f"module 'torch._C' has no attribute '{name}'", name=name)


def _wait_for_imports() -> None:
    """Before fork, wait until no other thread is importing a module.

    A module that another thread is importing stays locked for ever in the child, which may need it, since many are imported on
    first touch. Import statements of other packages are waited for, too, but not for long.
    """
    locks = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})
    for _ in range(1000):
        owners = {getattr(lock(), "owner", None) for lock in list(locks.values())}
        if owners <= {None, get_ident()}:
            return
        sleep(0.001)


register_at_fork(before=_wait_for_imports)
