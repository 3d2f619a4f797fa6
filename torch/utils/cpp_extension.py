"""Extensions in C++: built with setuptools (CppExtension, BuildExtension), or while a program runs (load, load_inline).

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
CUDA_HOME = os.environ.get("CUDA_HOME")
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


def CUDAExtension(name: str, sources: Sequence[str], *args: Any, **kwargs: Any) -> NoReturn:
    """Refused: this build has no CUDA.

    Args:
        name (str): of the module
        sources (Sequence[str]): the files
        *args (Any): of setuptools.Extension
        **kwargs (Any): of setuptools.Extension

    Raises:
        RuntimeError: always

    Example:
        >>> torch.utils.cpp_extension.CUDAExtension("mine", ["mine.cu"])
        Traceback (most recent call last):
        RuntimeError: this build has no CUDA
    """
    raise RuntimeError("CUDAExtension: this build has no CUDA; CppExtension builds extensions for the CPU")


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
        """setuptools' build_ext with torch's compiler flags.

        The extra_compile_args of an extension may be a list or {"cxx": [...]}.

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
            user_args = extension.extra_compile_args
            user_args = user_args.get("cxx", []) if isinstance(user_args, dict) else list(user_args or [])
            standard = [] if any(f.startswith("-std=") for f in user_args) else [STANDARD]
            name = extension.name.rpartition(".")[2]
            extension.extra_compile_args = [*standard, "-g1", f"-DTORCH_EXTENSION_NAME={name}", *DEFINITIONS, *user_args]
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


def __getattr__(name):
    if name == "BuildExtension":  # setuptools is imported by those who build with it
        globals()[name] = _build_extension()
        return globals()[name]
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
    """Compiles C++ files into a library and loads it.

    Args:
        name (str): of the module
        sources (str or Sequence[str]): the files
        extra_cflags (Sequence[str], optional): of the compiler
        extra_cuda_cflags (Sequence[str], optional): refused
        extra_sycl_cflags (Sequence[str], optional): refused
        extra_ldflags (Sequence[str], optional): of the linker
        extra_include_paths (Sequence[str], optional): folders with headers
        build_directory (str, optional): where to build; by default below `get_default_build_root()`
        verbose (bool, default False): show what is run
        with_cuda (bool, optional): True is refused
        with_sycl (bool, optional): True is refused
        is_python_module (bool, default True): False: a library that registers operators
        is_standalone (bool, default False): link a program
        keep_intermediates (bool, default True): accepted for compatibility

    Returns:
        the module; without `is_python_module` the path of the library that was loaded, and with `is_standalone` that of the
        program

    Raises:
        RuntimeError: it does not compile, or needs CUDA
        FileNotFoundError: a file is missing

    Example:
        >>> from torch.utils.cpp_extension import load
        >>> module = load("mine", ["mine.cpp"])  # doctest: +SKIP
    """
    if with_cuda or with_sycl or extra_cuda_cflags or extra_sycl_cflags:
        raise RuntimeError("load(): this build has no CUDA and no SYCL")
    sources = [os.path.abspath(s) for s in ([sources] if isinstance(sources, str) else sources)]
    missing = [s for s in sources if not os.path.exists(s)]
    if missing:
        raise FileNotFoundError(f"load(): there is no {missing[0]}")
    strangers = [s for s in sources if s.endswith((".cu", ".cuh", ".sycl"))]
    if strangers:
        raise RuntimeError(f"load(): this build compiles C++ only, got {strangers[0]}")
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
    """Compiles C++ text into a library and loads it.

    Args:
        name (str): of the module
        cpp_sources (str or Sequence[str]): the text
        cuda_sources (str, optional): refused
        sycl_sources (str, optional): refused
        functions (str, Sequence or dict, optional): names, or {name: docstring}: what becomes functions of the module
        extra_cflags (Sequence[str], optional): of the compiler
        extra_cuda_cflags (Sequence[str], optional): refused
        extra_sycl_cflags (Sequence[str], optional): refused
        extra_ldflags (Sequence[str], optional): of the linker
        extra_include_paths (Sequence[str], optional): folders with headers
        build_directory (str, optional): where to build; by default below `get_default_build_root()`
        verbose (bool, default False): show what is run
        with_cuda (bool, optional): True is refused
        with_sycl (bool, optional): True is refused
        is_python_module (bool, default True): False: a library that registers operators
        with_pytorch_error_handling (bool, default True): accepted for compatibility
        keep_intermediates (bool, default True): accepted for compatibility
        use_pch (bool, default False): accepted for compatibility
        no_implicit_headers (bool, default False): do not include torch's headers first

    Returns:
        as `load`

    Raises:
        RuntimeError: it does not compile, or needs CUDA

    Example:
        >>> from torch.utils.cpp_extension import load_inline
        >>> text = "torch::Tensor twice(torch::Tensor x) { return x * 2; }"
        >>> module = load_inline("mine", text, functions="twice")  # doctest: +SKIP
    """
    if cuda_sources or sycl_sources:
        raise RuntimeError("load_inline(): this build has no CUDA and no SYCL")
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
    return load(
        name,
        [path],
        extra_cflags=extra_cflags,
        extra_ldflags=extra_ldflags,
        extra_include_paths=extra_include_paths,
        build_directory=folder,
        verbose=verbose,
        is_python_module=is_python_module,
        keep_intermediates=keep_intermediates,
    )


def _build_folder(name):
    root = os.environ.get("TORCH_EXTENSIONS_DIR") or os.path.join(
        get_default_build_root(), f"py{sys.version_info.major}{sys.version_info.minor}_cpu"
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


def _build(name, sources, folder, cflags, ldflags, includes, verbose, is_python_module, is_standalone):
    verify_ninja_availability()
    flags = [STANDARD, "-fPIC", "-O2", "-g1", *DEFINITIONS, f"-DTORCH_EXTENSION_NAME={name}"]
    flags += [f"-I{os.path.abspath(p)}" for p in includes]
    flags += [f"-isystem {shlex.quote(p)}" for p in [*include_paths(), sysconfig.get_paths()["include"]]]
    if is_python_module:
        flags += [f"-isystem {shlex.quote(p)}" for p in _pybind_paths()]
    libraries = [lib for lib in LIBRARIES if is_python_module or lib != "torch_python"]
    links = [f"-L{TORCH_LIB_PATH}", *(f"-l{lib}" for lib in libraries), f"-Wl,-rpath,{TORCH_LIB_PATH}"]
    suffix = "" if is_standalone else ".so"
    objects, rules = [], []
    for source in sources:
        digest = hashlib.sha256(source.encode()).hexdigest()[:8]
        target = f"{os.path.splitext(os.path.basename(source))[0]}_{digest}.o"
        objects.append(target)
        rules.append(f"build {target}: compile {source.replace(' ', '$ ').replace(':', '$:')}")
    shared = "" if is_standalone else "-shared"
    text = "\n".join(
        [
            "ninja_required_version = 1.3",
            f"cxx = {get_cxx_compiler()}",
            f"cflags = {' '.join([*flags, *cflags])}",
            f"ldflags = {' '.join([*links, *ldflags])}",
            "rule compile",
            "  command = $cxx -MMD -MF $out.d $cflags -c $in -o $out",
            "  depfile = $out.d",
            "  deps = gcc",
            "rule link",
            f"  command = $cxx {shared} $in $ldflags -o $out",
            *rules,
            f"build {name}{suffix}: link {' '.join(objects)}",
            f"default {name}{suffix}",
            "",
        ]
    )
    _write_if_changed(os.path.join(folder, "build.ninja"), text)
    ninja = shutil.which("ninja") or os.path.join(os.path.dirname(sys.executable), "ninja")
    jobs = os.environ.get("MAX_JOBS")
    command = [ninja, *(["-j", jobs] if jobs else []), *(["-v"] if verbose else [])]
    done = subprocess.run(command, cwd=folder, capture_output=not verbose, text=True)
    if done.returncode:
        raise RuntimeError(f"Error building extension '{name}'" + ("" if verbose else f":\n{done.stdout}{done.stderr}"))
    return os.path.join(folder, name + suffix)


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
