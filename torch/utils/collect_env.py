"""Prints what a bug report should say about this machine: `python -m torch.utils.collect_env`."""

import collections
import importlib.metadata
import os
import platform
import re
import subprocess
import sys

import torch

SystemEnv = collections.namedtuple(
    "SystemEnv",
    "torch_version is_debug_build cuda_compiled_version gcc_version clang_version cmake_version os libc_version "
    "python_version python_platform is_cuda_available cuda_runtime_version cuda_module_loading nvidia_driver_version "
    "nvidia_gpu_models cudnn_version is_xpu_available pip_version pip_packages conda_packages hip_compiled_version "
    "hip_runtime_version miopen_runtime_version caching_allocator_config is_xnnpack_available cpu_info",
)

_UNKNOWN = "Could not collect"
_PACKAGES = "torch numpy mypy flake8 optree onnx triton pytorch nccl cuda cudnn cublas intel mkl dpcpp".split()

# What is printed: groups of titles with the facts behind them; a fact without a title has lines of its own.
_LAYOUT = (
    (
        ("PyTorch version", "torch_version"),
        ("Is debug build", "is_debug_build"),
        ("CUDA used to build PyTorch", "cuda_compiled_version"),
        ("ROCM used to build PyTorch", "hip_compiled_version"),
    ),
    (
        ("OS", "os"),
        ("GCC version", "gcc_version"),
        ("Clang version", "clang_version"),
        ("CMake version", "cmake_version"),
        ("Libc version", "libc_version"),
    ),
    (
        ("Python version", "python_version"),
        ("Python platform", "python_platform"),
        ("Is CUDA available", "is_cuda_available"),
        ("CUDA runtime version", "cuda_runtime_version"),
        ("CUDA_MODULE_LOADING set to", "cuda_module_loading"),
        ("GPU models and configuration", "nvidia_gpu_models"),
        ("Nvidia driver version", "nvidia_driver_version"),
        ("cuDNN version", "cudnn_version"),
        ("Is XPU available", "is_xpu_available"),
        ("HIP runtime version", "hip_runtime_version"),
        ("MIOpen runtime version", "miopen_runtime_version"),
        ("Is XNNPACK available", "is_xnnpack_available"),
        ("Caching allocator config", "caching_allocator_config"),
    ),
    (
        (None, "CPU:"),
        (None, "{cpu_info}"),
    ),
    (
        (None, "Versions of relevant libraries:"),
        (None, "{pip_packages}"),
        (None, "{conda_packages}"),
    ),
)
env_info_fmt = "\n\n".join("\n".join(f"{title}: {{{fact}}}" if title else fact for title, fact in group) for group in _LAYOUT)


def run(command):
    """(exit status, standard output, standard error) of a command, both without white space around.

    A command that is not there has the status 127.
    """
    shell = isinstance(command, str)
    try:
        done = subprocess.run(command, shell=shell, capture_output=True, text=True, errors="replace", timeout=60)
    except (FileNotFoundError, PermissionError, subprocess.TimeoutExpired):
        return 127, "", "Command not found" if not shell else ""
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def run_and_read_all(run_lambda, command):
    """What a command prints, None if it fails."""
    status, out, _ = run_lambda(command)
    return out if status == 0 else None


def run_and_parse_first_match(run_lambda, command, regex):
    """The first group of the regex in what a command prints, None if it fails or prints no such thing."""
    out = run_and_read_all(run_lambda, command)
    match = re.search(regex, out) if out is not None else None
    return match.group(1) if match else None


def run_and_return_first_line(run_lambda, command):
    """The first line that a command prints, None if it fails."""
    out = run_and_read_all(run_lambda, command)
    return out.split("\n")[0] if out is not None else None


def get_gcc_version(run_lambda):
    """Of the compiler `gcc`."""
    return run_and_parse_first_match(run_lambda, ["gcc", "--version"], r"gcc (.*)")


def get_clang_version(run_lambda):
    """Of the compiler `clang`."""
    return run_and_parse_first_match(run_lambda, ["clang", "--version"], r"clang version (.*)")


def get_cmake_version(run_lambda):
    """Of CMake."""
    return run_and_parse_first_match(run_lambda, ["cmake", "--version"], r"cmake (.*)")


def get_nvidia_driver_version(run_lambda):
    """Of the kernel module, as nvidia-smi tells it."""
    return run_and_return_first_line(run_lambda, ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"])


def get_gpu_info(run_lambda):
    """The names of the GPUs, one to a line: those of nvidia-smi, or of torch where that is missing."""
    out = run_and_read_all(run_lambda, ["nvidia-smi", "-L"])
    if out:
        return re.sub(r" \(UUID: .+?\)", "", out)
    names = [torch.cuda.get_device_name(k) for k in range(torch.cuda.device_count())]
    return "\n".join(f"GPU {k}: {name}" for k, name in enumerate(names)) or None


def get_compiled_cuda_version():
    """The CUDA that this build is for."""
    if torch._C._cuda_extension() == "_cuda_emulated":
        return "an emulated device, whose kernels run on the CPU"
    return torch.version.cuda


def get_running_cuda_version(run_lambda):
    """Of the CUDA toolkit whose nvcc is found first."""
    return run_and_parse_first_match(run_lambda, ["nvcc", "--version"], r"release .+ V(.*)")


def get_cudnn_version(run_lambda):
    """The cuDNN libraries that the linker knows, None if there is none."""
    out = run_and_read_all(run_lambda, ["ldconfig", "-p"]) or ""
    paths = sorted({os.path.realpath(path) for path in re.findall(r"libcudnn\S* .*=> (\S+)", out)})
    if len(paths) > 1:
        return "Probably one of the following:\n" + "\n".join(paths)
    return paths[0] if paths else None


def get_cpu_info(run_lambda):
    """What lscpu says."""
    return run_and_read_all(run_lambda, ["lscpu"])


def get_platform():
    """linux, darwin, win32."""
    return sys.platform


def get_os(run_lambda):
    """The distribution and the architecture."""
    machine = platform.machine()
    name = None
    if hasattr(platform, "freedesktop_os_release"):
        try:
            name = platform.freedesktop_os_release().get("PRETTY_NAME")
        except OSError:
            name = None
    return f"{name or platform.platform()} ({machine})"


def get_python_platform():
    """The system as Python names it."""
    return platform.platform()


def get_libc_version():
    """The C library and its version."""
    return "-".join(platform.libc_ver()) if sys.platform == "linux" else "N/A"


def get_pip_packages(run_lambda, patterns=None):
    """("pip3", the installed packages that have to do with this library, as name==version)."""
    patterns = _PACKAGES if patterns is None else patterns
    found = set()
    for package in importlib.metadata.distributions():
        name = package.metadata["Name"]
        if name and any(pattern in name.lower() for pattern in patterns):
            found.add(f"{name}=={package.version}")
    return "pip3", "\n".join(sorted(found, key=str.lower))


def get_conda_packages(run_lambda, patterns=None):
    """The lines of `conda list` that have to do with this library, None without conda."""
    patterns = _PACKAGES if patterns is None else patterns
    out = run_and_read_all(run_lambda, [os.environ.get("CONDA_EXE", "conda"), "list"])
    if out is None:
        return None
    lines = [line for line in out.splitlines() if not line.startswith("#")]
    return "\n".join(line for line in lines if any(pattern in line for pattern in patterns))


def get_cachingallocator_config():
    """The environment variables that set up the allocator, by name."""
    names = (
        "TORCH_CPU_ALLOCATOR",
        "TORCH_CPU_ALLOCATOR_MAX_CACHED",
        "TORCH_CPU_ALLOCATOR_MAX_IDLE",
        "PYTORCH_CUDA_ALLOC_CONF",
        "PYTORCH_ALLOC_CONF",
    )
    return {name: os.environ[name] for name in names if name in os.environ}


def get_cuda_module_loading_config():
    """CUDA_MODULE_LOADING, or N/A without CUDA."""
    return os.environ.get("CUDA_MODULE_LOADING", "not set") if torch.cuda.is_available() else "N/A"


def is_xnnpack_available():
    """Whether this build uses XNNPACK."""
    return "XNNPACK" in torch.__config__.show()


def get_env_info():
    """All of it, as a SystemEnv; what could not be found out is None."""
    pip_version, pip_packages = get_pip_packages(run)
    bits = sys.maxsize.bit_length() + 1
    allocator = get_cachingallocator_config()
    return SystemEnv(
        torch_version=torch.__version__,
        is_debug_build=str(torch.version.debug),
        cuda_compiled_version=get_compiled_cuda_version(),
        gcc_version=get_gcc_version(run),
        clang_version=get_clang_version(run),
        cmake_version=get_cmake_version(run),
        os=get_os(run),
        libc_version=get_libc_version(),
        python_version=f"{sys.version} ({bits}-bit runtime)".replace("\n", " "),
        python_platform=get_python_platform(),
        is_cuda_available=str(torch.cuda.is_available()),
        cuda_runtime_version=get_running_cuda_version(run),
        cuda_module_loading=get_cuda_module_loading_config(),
        nvidia_driver_version=get_nvidia_driver_version(run),
        nvidia_gpu_models=get_gpu_info(run),
        cudnn_version=get_cudnn_version(run),
        is_xpu_available="False",
        pip_version=pip_version,
        pip_packages=pip_packages,
        conda_packages=get_conda_packages(run),
        hip_compiled_version=torch.version.hip or "N/A",
        hip_runtime_version="N/A",
        miopen_runtime_version="N/A",
        caching_allocator_config="\n".join(f"{k}: {v}" for k, v in allocator.items()) or "N/A",
        is_xnnpack_available=str(is_xnnpack_available()),
        cpu_info=get_cpu_info(run),
    )


def pretty_str(envinfo):
    """A SystemEnv as the text to report."""
    facts = envinfo._asdict()
    for name in ("pip_packages", "conda_packages"):
        tag = "[conda]" if name == "conda_packages" else f"[{facts['pip_version']}]"
        text = facts[name]
        facts[name] = "\n".join(f"{tag} {line}" for line in (text or "No relevant packages").splitlines())
        if text is None:
            facts[name] = f"{tag} {_UNKNOWN}"
    for name, value in facts.items():
        if value is None or value == "":
            facts[name] = _UNKNOWN
        elif name != "cpu_info" and not name.endswith("packages") and "\n" in str(value):
            facts[name] = "\n" + value
    return env_info_fmt.format(**facts)


def get_pretty_env_info():
    """The text to report."""
    return pretty_str(get_env_info())


def main():
    """Print the text to report."""
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
