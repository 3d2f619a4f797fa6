"""Types of TorchScript's compiler and of its files, which PyTorch defines in C++: most have no objects here."""

from __future__ import annotations

from torch._archive_reader import PyTorchFileReader  # noqa: F401
from torch._archive_writer import PyTorchFileWriter  # noqa: F401
from torch._C import _ExcludeDispatchKeyGuard as ExcludeDispatchKeyGuard  # noqa: F401
from torch._counters import LockingLogger, NoopLogger  # noqa: F401
from torch._dispatch_library import Argument, parse_schema  # noqa: F401
from torch._dispatch_library import Schema as FunctionSchema  # noqa: F401
from torch.futures import Future  # noqa: F401
from torch.jit._script import CompilationUnit, ScriptFunction, ScriptModule, _NoCompiledForm  # noqa: F401
from torch.testing._file_check import FileCheck  # noqa: F401
from torch.utils.throughput_benchmark import ThroughputBenchmark  # noqa: F401

_TYPES = (
    "AliasDb AnyType ArgumentSpec AwaitType BenchmarkConfig BenchmarkExecutionStats Block BoolType BufferDict CallStack "
    "Capsule ClassType Code CompleteArgumentSpec ComplexType ConcreteModuleType ConcreteModuleTypeBuilder DeviceObjType DictType "
    "EnumType ErrorReport ExecutionPlan FloatType FutureType Gradient Graph GraphExecutorState IODescriptor InferredType IntType "
    "InterfaceType ListType LiteScriptModule ModuleDict Node NoneType NumberType OperatorInfo OptionalType ParameterDict "
    "PyObjectType RRefType ScriptClass ScriptClassFunction ScriptDict ScriptList ScriptMethod ScriptModuleSerializer "
    "ScriptObject ScriptObjectProperty StaticModule StreamObjType StringType SymBoolType SymIntType TensorType TracingState "
    "TupleType Type UnionType Use Value DeepCopyMemoTable DeserializationStorageContext SerializationStorageContext "
    "ScriptDictIterator ScriptDictKeyIterator ScriptListIterator"
).split()
for _name in _TYPES:
    _doc = (
        "A type of TorchScript's graphs and modules, of which this version makes no objects.\n\nExample:\n"
        f"    >>> isinstance(torch.ones(1), torch.{_name})\n    False"
    )
    globals()[_name] = type(_name, (_NoCompiledForm,), {"__module__": "torch", "__doc__": _doc})
