"""Extensions in C++ and CUDA: built with setuptools (CppExtension, BuildExtension), or while a program runs (load, load_inline).

    module = load_inline("twice", "torch::Tensor twice(torch::Tensor x) { return x + x; }", functions="twice")
    module.twice(torch.ones(2))

Extensions include <torch/extension.h> (with pybind11), or <torch/torch.h> for operators that are only registered:
TORCH_LIBRARY needs no Python in C++, and compiles in half the time. Builds go to TORCH_EXTENSIONS_DIR, or
~/.cache/torch_extensions; what has not changed is not built again.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig

import torch
from torch.utils import _cuda_extension
from torch.utils._compiler_checks import (
    check_compiler_is_gcc,
    check_compiler_ok_for_platform,
    get_compiler_abi_compatibility_and_version,
    remove_extension_h_precompiler_headers,
)

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

__all__ = [
    "BuildExtension",  # noqa: F822  (made when it is asked for)
    "CUDAExtension",
    "CppExtension",
    "SyclExtension",
    "check_compiler_is_gcc",
    "check_compiler_ok_for_platform",
    "get_compiler_abi_compatibility_and_version",
    "get_default_build_root",
    "include_paths",
    "is_ninja_available",
    "library_paths",
    "load",
    "load_inline",
    "remove_extension_h_precompiler_headers",
    "verify_ninja_availability",
]

_PACKAGE = os.path.dirname(os.path.abspath(torch.__file__))
TORCH_LIB_PATH = os.path.join(_PACKAGE, "lib")
CUDA_HOME = _cuda_extension.root()
LIBRARIES = ("c10", "torch_cpu", "torch_python")
STANDARD = "-std=c++17"
DEFINITIONS = ["-DTORCH_API_INCLUDE_EXTENSION_H", "-DTORCH_TENSOR_METHODS"]


# --- locations ----------------------------------------------------------------------------------------------


def include_paths(device_type: str = "cpu", torch_include_dirs: bool = True) -> list[str]:
    """Folders with the headers of torch: of the installed package, or of the source tree of an editable one.

    Args:
        device_type (str, default "cpu"): "cpu" or "cuda"
        torch_include_dirs (bool, default True): False gives nothing

    Returns:
        the folders

    Raises:
        ValueError: another device

    Example:
        >>> import os, torch.utils.cpp_extension
        >>> all(os.path.isabs(folder) for folder in torch.utils.cpp_extension.include_paths())
        True
    """
    if device_type not in ("cpu", "cuda"):
        raise ValueError(f'include_paths(): device_type must be "cpu" or "cuda", got {device_type!r}')
    installed = os.path.join(_PACKAGE, "include")
    if not torch_include_dirs:
        return []
    if os.path.isdir(installed):
        return [installed]
    root = os.path.dirname(_PACKAGE)
    return [root, os.path.join(root, "aten", "src"), os.path.join(root, "build", "generated")]


def library_paths(
    device_type: str = "cpu",
    torch_include_dirs: bool = True,
    cross_target_platform: str | None = None,
) -> list[str]:
    """Folders with the libraries of torch.

    Args:
        device_type (str, default "cpu"): accepted for compatibility
        torch_include_dirs (bool, default True): False gives nothing
        cross_target_platform (str, optional): accepted for compatibility

    Returns:
        the folders

    Example:
        >>> import torch.utils.cpp_extension
        >>> torch.utils.cpp_extension.library_paths()[0].endswith("lib")
        True
    """
    return [TORCH_LIB_PATH] if torch_include_dirs else []


def _pybind_paths():
    try:
        import pybind11
    except ImportError:
        raise RuntimeError("extensions that include <torch/extension.h> need pybind11: pip install pybind11") from None
    return [pybind11.get_include()]


def get_default_build_root() -> str:
    """The folder below which load() builds.

    Returns:
        the folder

    Example:
        >>> import torch.utils.cpp_extension
        >>> torch.utils.cpp_extension.get_default_build_root().endswith("torch_extensions")
        True
    """
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(cache, "torch_extensions")


def get_cxx_compiler() -> str:
    """The compiler of extensions.

    Returns:
        the variable CXX, or c++

    Example:
        >>> import torch.utils.cpp_extension
        >>> compiler = torch.utils.cpp_extension.get_cxx_compiler()
    """
    return os.environ.get("CXX", "c++")


def is_ninja_available() -> bool:
    """Whether Ninja is there to build extensions.

    Returns:
        whether it is

    Example:
        >>> import torch.utils.cpp_extension
        >>> torch.utils.cpp_extension.is_ninja_available() in (True, False)
        True
    """
    return shutil.which("ninja") is not None or os.path.exists(os.path.join(os.path.dirname(sys.executable), "ninja"))


def verify_ninja_availability() -> None:
    """Raise an error unless Ninja is there.

    Raises:
        RuntimeError: it is not

    Example:
        >>> import torch.utils.cpp_extension
        >>> if torch.utils.cpp_extension.is_ninja_available():
        ...     torch.utils.cpp_extension.verify_ninja_availability()
    """
    if not is_ninja_available():
        raise RuntimeError("Ninja is required to load C++ extensions (pip install ninja to get it)")


# --- setuptools ---------------------------------------------------------------------------------------------


def CppExtension(name: str, sources: Sequence[str], *args: Any, **kwargs: Any) -> Any:
    """A setuptools.Extension with the headers and libraries of torch.

    Args:
        name (str): of the module
        sources (Sequence[str]): the C++ files
        *args (Any): of setuptools.Extension
        **kwargs (Any): of setuptools.Extension

    Returns:
        the extension

    Raises:
        RuntimeError: there is no pybind11

    Example:
        >>> from torch.utils.cpp_extension import CppExtension
        >>> extension = CppExtension("mine", ["mine.cpp"])  # doctest: +SKIP
    """
    import setuptools

    kwargs["include_dirs"] = [*kwargs.get("include_dirs", []), *include_paths(), *_pybind_paths()]
    kwargs["library_dirs"] = [*kwargs.get("library_dirs", []), *library_paths()]
    kwargs["libraries"] = [*kwargs.get("libraries", []), *LIBRARIES]
    kwargs["runtime_library_dirs"] = [*kwargs.get("runtime_library_dirs", []), *library_paths()]
    kwargs["language"] = "c++"
    return setuptools.Extension(name, sources, *args, **kwargs)


def CUDAExtension(name: str, sources: Sequence[str], *args: Any, **kwargs: Any) -> Any:
    """A setuptools.Extension of C++ and CUDA sources, for BuildExtension.

    Args:
        name (str): of the module
        sources (Sequence[str]): the files; those that end in .cu are CUDA
        *args (Any): of setuptools.Extension
        **kwargs (Any): of setuptools.Extension; extra_compile_args may be {"cxx": [...], "nvcc": [...]}

    Returns:
        the extension

    Raises:
        RuntimeError: this build has no CUDA, or there is no nvcc

    Example:
        >>> torch.utils.cpp_extension.CUDAExtension("mine", ["mine.cu"])
        Traceback (most recent call last):
        RuntimeError: CUDAExtension: this build has no CUDA...
    """
    _cuda_extension.require("CUDAExtension")
    kwargs["include_dirs"] = [*kwargs.get("include_dirs", []), *_cuda_extension.include_paths()]
    kwargs["extra_link_args"] = [*kwargs.get("extra_link_args", []), *_cuda_extension.link_flags()]
    return CppExtension(name, sources, *args, **kwargs)


def SyclExtension(name: str, sources: Sequence[str], *args: Any, **kwargs: Any) -> NoReturn:
    """An extension for Intel's GPUs, which this build cannot use.

    Args:
        name (str): the module's name
        sources (Sequence[str]): its files
        *args (Any): of setuptools.Extension
        **kwargs (Any): of setuptools.Extension

    Raises:
        OSError: always

    Example:
        >>> import torch.utils.cpp_extension
        >>> torch.utils.cpp_extension.SyclExtension("twice", ["twice.sycl"])
        Traceback (most recent call last):
        OSError: ...
    """
    raise OSError("this build of torch has no XPU backend, so it builds no extensions for it; CppExtension builds for the CPU")


def _build_extension():
    from setuptools.command.build_ext import build_ext

    class BuildExtension(build_ext):
        """setuptools' build_ext with torch's compiler flags, and CUDA sources.

        The extra_compile_args of an extension may be a list or {"cxx": [...], "nvcc": [...]}.

        Args:
            *args (Any): of build_ext
            **kwargs (bool): no_python_abi_suffix=True names a file NAME.so

        Example:
            >>> from torch.utils.cpp_extension import BuildExtension
            >>> options = {"cmdclass": {"build_ext": BuildExtension}}  # of setuptools.setup
        """

        @classmethod
        def with_options(cls, **options: Any) -> type:
            """A command class with other defaults: no_python_abi_suffix=True names a file NAME.so."""

            class Configured(cls):
                def __init__(self, *args, **kwargs):
                    kwargs.update(options)
                    super().__init__(*args, **kwargs)

            return Configured

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args)
            self.no_python_abi_suffix = kwargs.get("no_python_abi_suffix", False)

        def build_extension(self, extension: Any) -> None:
            """Adds torch's flags to an extension, and builds it.

            Args:
                extension (Extension): the extension
            """
            given = extension.extra_compile_args
            user_args = given.get("cxx", []) if isinstance(given, dict) else list(given or [])
            standard = [] if any(f.startswith("-std=") for f in user_args) else [STANDARD]
            name = extension.name.rpartition(".")[2]
            extension.extra_compile_args = [*standard, "-g1", f"-DTORCH_EXTENSION_NAME={name}", *DEFINITIONS, *user_args]
            cuda = [source for source in extension.sources if source.endswith(".cu")]
            if cuda:
                folder = os.path.abspath(os.path.join(self.build_temp, extension.name))
                cuda_flags = given.get("nvcc", []) if isinstance(given, dict) else []
                extension.sources = [source for source in extension.sources if source not in cuda]
                objects = _objects(extension, [os.path.abspath(s) for s in cuda], folder, name, user_args, cuda_flags)
                extension.extra_objects = [*extension.extra_objects, *objects]
            super().build_extension(extension)

        def get_ext_filename(self, name: str) -> str:
            """The name of the file of an extension.

            Args:
                name (str): the extension's name
            """
            path = super().get_ext_filename(name)
            if not self.no_python_abi_suffix:
                return path
            base, _, suffix = path.rpartition(".")
            return f"{base.partition('.')[0]}.{suffix}"

    return BuildExtension


def _objects(extension, sources, folder, name, cflags, cuda_flags):
    """The paths of the compiled CUDA sources of a setuptools.Extension."""
    os.makedirs(folder, exist_ok=True)
    flags = _cpp_flags(name, extension.include_dirs, True) + list(cflags)
    objects, rules = _rules(sources)
    _write_if_changed(
        os.path.join(folder, "build.ninja"), _ninja_file(flags, list(cuda_flags), [*rules, f"default {' '.join(objects)}"])
    )
    _run_ninja(extension.name, folder, False)
    return [os.path.join(folder, one) for one in objects]


def __getattr__(name):
    if name == "BuildExtension":  # setuptools is imported by those who build with it
        globals()[name] = _build_extension()
        return globals()[name]
    from torch.utils import _extension_names

    if not name.startswith("__") and hasattr(_extension_names, name):
        return getattr(_extension_names, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# --- while a program runs -----------------------------------------------------------------------------------


def load(
    name: str,
    sources: str | Sequence[str],
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_sycl_cflags: Sequence[str] | None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: Sequence[str] | None = None,
    build_directory: str | None = None,
    verbose: bool = False,
    with_cuda: bool | None = None,
    with_sycl: bool | None = None,
    is_python_module: bool = True,
    is_standalone: bool = False,
    keep_intermediates: bool = True,
) -> Any:
    """Compiles C++ and CUDA files (.cu) into a library and loads it.

    Args:
        name (str): of the module
        sources (str or Sequence[str]): the files
        extra_cflags (Sequence[str], optional): of the compiler
        extra_cuda_cflags (Sequence[str], optional): of the compiler of CUDA
        extra_sycl_cflags (Sequence[str], optional): refused
        extra_ldflags (Sequence[str], optional): of the linker
        extra_include_paths (Sequence[str], optional): folders with headers
        build_directory (str, optional): where to build; by default below `get_default_build_root()`
        verbose (bool, default False): show what is run
        with_cuda (bool, optional): link the libraries for CUDA; by default if a source is CUDA
        with_sycl (bool, optional): True is refused
        is_python_module (bool, default True): False: a library that registers operators
        is_standalone (bool, default False): link a program
        keep_intermediates (bool, default True): accepted for compatibility

    Returns:
        the module; without `is_python_module` the path of the library that was loaded, and with `is_standalone` that of the
        program

    Raises:
        RuntimeError: it does not compile, or needs CUDA and this build has none
        FileNotFoundError: a file is missing

    Example:
        >>> from torch.utils.cpp_extension import load
        >>> module = load("mine", ["mine.cpp"])  # doctest: +SKIP
    """
    if with_sycl or extra_sycl_cflags:
        raise RuntimeError("load(): this build has no SYCL")
    sources = [os.path.abspath(s) for s in ([sources] if isinstance(sources, str) else sources)]
    missing = [s for s in sources if not os.path.exists(s)]
    if missing:
        raise FileNotFoundError(f"load(): there is no {missing[0]}")
    strangers = [s for s in sources if s.endswith((".cuh", ".sycl"))]
    if strangers:
        raise RuntimeError(f"load(): expected C++ and CUDA sources, got {strangers[0]}")
    with_cuda = any(s.endswith(".cu") for s in sources) if with_cuda is None else with_cuda
    if with_cuda:
        _cuda_extension.require("load()")
    folder = build_directory or _build_folder(name)
    with _lock(folder):
        library = _build(
            name,
            sources,
            folder,
            extra_cflags or [],
            extra_ldflags or [],
            extra_include_paths or [],
            verbose,
            is_python_module,
            is_standalone,
            list(extra_cuda_cflags or []),
            with_cuda,
        )
    if is_standalone:
        return library
    if is_python_module:
        return _import(name, library)
    torch.ops.load_library(library)
    return library


def load_inline(
    name: str,
    cpp_sources: str | Sequence[str],
    cuda_sources: Any = None,
    sycl_sources: Any = None,
    functions: Any = None,
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_sycl_cflags: Sequence[str] | None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: Sequence[str] | None = None,
    build_directory: str | None = None,
    verbose: bool = False,
    with_cuda: bool | None = None,
    with_sycl: bool | None = None,
    is_python_module: bool = True,
    with_pytorch_error_handling: bool = True,
    keep_intermediates: bool = True,
    use_pch: bool = False,
    no_implicit_headers: bool = False,
) -> Any:
    """Compiles C++ and CUDA text into a library and loads it.

    Args:
        name (str): of the module
        cpp_sources (str or Sequence[str]): the text
        cuda_sources (str or Sequence[str], optional): the text in CUDA; functions are declared in the C++ text
        sycl_sources (str, optional): refused
        functions (str, Sequence or dict, optional): names, or {name: docstring}: what becomes functions of the module
        extra_cflags (Sequence[str], optional): of the compiler
        extra_cuda_cflags (Sequence[str], optional): of the compiler of CUDA
        extra_sycl_cflags (Sequence[str], optional): refused
        extra_ldflags (Sequence[str], optional): of the linker
        extra_include_paths (Sequence[str], optional): folders with headers
        build_directory (str, optional): where to build; by default below `get_default_build_root()`
        verbose (bool, default False): show what is run
        with_cuda (bool, optional): link the libraries for CUDA; by default if a source is CUDA
        with_sycl (bool, optional): True is refused
        is_python_module (bool, default True): False: a library that registers operators
        with_pytorch_error_handling (bool, default True): accepted for compatibility
        keep_intermediates (bool, default True): accepted for compatibility
        use_pch (bool, default False): accepted for compatibility
        no_implicit_headers (bool, default False): do not include torch's headers first

    Returns:
        as `load`

    Raises:
        RuntimeError: it does not compile, or needs CUDA and this build has none

    Example:
        >>> from torch.utils.cpp_extension import load_inline
        >>> text = "torch::Tensor twice(torch::Tensor x) { return x * 2; }"
        >>> module = load_inline("mine", text, functions="twice")  # doctest: +SKIP
    """
    if sycl_sources:
        raise RuntimeError("load_inline(): this build has no SYCL")
    if cuda_sources or with_cuda:
        _cuda_extension.require("load_inline()")
    texts = [cpp_sources] if isinstance(cpp_sources, str) else list(cpp_sources)
    header = [] if no_implicit_headers else ["#include <torch/extension.h>" if is_python_module else "#include <torch/torch.h>"]
    lines = [*header, *texts]
    if functions is not None:
        named = {functions: functions} if isinstance(functions, str) else functions
        named = named if isinstance(named, dict) else {f: f for f in named}
        lines.append("PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {")
        lines += [f'  m.def("{f}", &{f}, R"_({doc})_");' for f, doc in named.items()]
        lines.append("}")
    folder = build_directory or _build_folder(name)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "main.cpp")
    _write_if_changed(path, "\n".join(lines) + "\n")
    paths = [path]
    if cuda_sources:
        texts = [cuda_sources] if isinstance(cuda_sources, str) else list(cuda_sources)
        header = [] if no_implicit_headers else ["#include <torch/types.h>", "#include <cuda.h>", "#include <cuda_runtime.h>"]
        paths.append(os.path.join(folder, "cuda.cu"))
        _write_if_changed(paths[1], "\n".join([*header, *texts]) + "\n")
    return load(
        name,
        paths,
        extra_cflags=extra_cflags,
        extra_cuda_cflags=extra_cuda_cflags,
        extra_ldflags=extra_ldflags,
        extra_include_paths=extra_include_paths,
        build_directory=folder,
        verbose=verbose,
        with_cuda=with_cuda,
        is_python_module=is_python_module,
        keep_intermediates=keep_intermediates,
    )


def _build_folder(name):
    root = os.environ.get("TORCH_EXTENSIONS_DIR") or os.path.join(
        get_default_build_root(),
        f"py{sys.version_info.major}{sys.version_info.minor}_{'cuda' if torch._C._cuda_extension() else 'cpu'}",
    )
    folder = os.path.join(root, name)
    os.makedirs(folder, exist_ok=True)
    return folder


class _lock:
    """Allows one build at a time in a folder, across processes; a process that dies releases the lock."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, "lock")

    def __enter__(self):
        self.file = open(self.path, "w")  # noqa: SIM115
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *exc):
        self.file.close()


def _write_if_changed(path, text):
    try:
        with open(path) as f:
            if f.read() == text:
                return
    except FileNotFoundError:
        pass
    with open(path, "w") as f:
        f.write(text)


def _cpp_flags(name, includes, is_python_module):
    flags = [STANDARD, "-fPIC", "-O2", "-g1", *DEFINITIONS, f"-DTORCH_EXTENSION_NAME={name}"]
    flags += [f"-I{os.path.abspath(p)}" for p in includes]
    flags += [f"-isystem {shlex.quote(p)}" for p in [*include_paths(), sysconfig.get_paths()["include"]]]
    if is_python_module:
        flags += [f"-isystem {shlex.quote(p)}" for p in _pybind_paths()]
    return flags


def _rules(sources):
    """The objects of sources, and the lines of Ninja's file that make them."""
    objects, rules = [], []
    for source in sources:
        digest = hashlib.sha256(source.encode()).hexdigest()[:8]
        target = f"{os.path.splitext(os.path.basename(source))[0]}_{digest}.o"
        objects.append(target)
        rule = "compile_cuda" if source.endswith(".cu") else "compile"
        rules.append(f"build {target}: {rule} {source.replace(' ', '$ ').replace(':', '$:')}")
    return objects, rules


def _ninja_file(flags, cuda_flags, rules):
    lines = ["ninja_required_version = 1.3", f"cxx = {get_cxx_compiler()}"]
    if any(": compile_cuda " in rule for rule in rules):
        flags = [*flags, *(f"-isystem {shlex.quote(p)}" for p in _cuda_extension.include_paths())]
        plain = [flag for flag in flags if flag.startswith(("-I", "-isystem", "-D"))]
        lines += [
            f"cudaflags = {' '.join(plain)}",
            "rule compile_cuda",
            *(f"  command = {command}" for command in _cuda_extension.compile_command(cuda_flags)),
            "  depfile = $out.d",
            "  deps = gcc",
        ]
    lines += [
        f"cflags = {' '.join(flags)}",
        "rule compile",
        "  command = $cxx -MMD -MF $out.d $cflags -c $in -o $out",
        "  depfile = $out.d",
        "  deps = gcc",
    ]
    return "\n".join([*lines, *rules, ""])


def _run_ninja(name, folder, verbose):
    verify_ninja_availability()
    ninja = shutil.which("ninja") or os.path.join(os.path.dirname(sys.executable), "ninja")
    jobs = os.environ.get("MAX_JOBS")
    command = [ninja, *(["-j", jobs] if jobs else []), *(["-v"] if verbose else [])]
    done = subprocess.run(command, cwd=folder, capture_output=not verbose, text=True)
    if done.returncode:
        raise RuntimeError(f"Error building extension '{name}'" + ("" if verbose else f":\n{done.stdout}{done.stderr}"))


def _build(
    name, sources, folder, cflags, ldflags, includes, verbose, is_python_module, is_standalone, cuda_flags=(), with_cuda=False
):
    libraries = [lib for lib in LIBRARIES if is_python_module or lib != "torch_python"]
    if with_cuda:
        ldflags = [*_cuda_extension.link_flags(), *ldflags]
    links = [f"-L{TORCH_LIB_PATH}", *(f"-l{lib}" for lib in libraries), f"-Wl,-rpath,{TORCH_LIB_PATH}"]
    target = name if is_standalone else name + ".so"
    objects, rules = _rules(sources)
    shared = "" if is_standalone else "-shared"
    rules = [
        f"ldflags = {' '.join([*links, *ldflags])}",
        "rule link",
        f"  command = $cxx {shared} $in $ldflags -o $out",
        *rules,
        f"build {target}: link {' '.join(objects)}",
        f"default {target}",
    ]
    flags = [*_cpp_flags(name, includes, is_python_module), *cflags]
    _write_if_changed(os.path.join(folder, "build.ninja"), _ninja_file(flags, list(cuda_flags), rules))
    _run_ninja(name, folder, verbose)
    return os.path.join(folder, target)


_LOADED: dict = {}


def _import(name, library):
    """The module in a library.

    One that was rebuilt since this process loaded it comes under a new path: a library that is loaded cannot be replaced.
    """
    stamp = os.stat(library).st_mtime_ns
    known = _LOADED.get(library)
    if known and known[0] == stamp:
        return known[1]
    path = library
    if known:
        path = f"{library[:-3]}_{stamp}.so"
        shutil.copyfile(library, path)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    _LOADED[library] = stamp, module
    return module
