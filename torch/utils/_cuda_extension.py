"""How cpp_extension compiles CUDA sources: by NVIDIA's compiler, or as C++ for the emulated device."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import torch


def root() -> str | None:
    """The CUDA toolkit: of CUDA_HOME, of the nvcc on the PATH, or of PyPI's packages."""
    named = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    if named:
        return named
    compiler = shutil.which("nvcc")
    if compiler:
        return os.path.dirname(os.path.dirname(os.path.realpath(compiler)))
    spec = importlib.util.find_spec("nvidia")
    for folder in spec.submodule_search_locations if spec and spec.submodule_search_locations else ():
        if os.path.exists(os.path.join(folder, "cu13", "bin", "nvcc")):
            return os.path.join(folder, "cu13")
    return None


def is_emulated() -> bool:
    """Whether this process uses the emulated device, for which sources are compiled as C++."""
    return torch._C._cuda_extension() == "_cuda_emulated"


def require(caller: str) -> None:
    """Raises an error unless CUDA sources can be compiled here."""
    if not torch._C._cuda_extension():
        raise RuntimeError(f"{caller}: this build has no CUDA; build torch with USE_CUDA=1, or USE_CUDA=emulated to try kernels")
    if not is_emulated() and root() is None:
        raise RuntimeError(f"{caller}: there is no nvcc; pip install -r requirements-nvcc.txt, or set CUDA_HOME")


_NAMED = {
    "Volta": "7.0", "Turing": "7.5", "Ampere": "8.0;8.6", "Ada": "8.9", "Hopper": "9.0", "Blackwell": "10.0;12.0",
}  # fmt: skip


def names_gpus(flags: Iterable[str]) -> bool:
    """Whether flags for nvcc say for which GPUs to compile."""
    return any("arch" in flag for flag in flags)


def _entries(listed: str) -> Iterator[str]:
    """The versions in TORCH_CUDA_ARCH_LIST."""
    for entry in re.split(r"[ ;,]+", listed.strip()):
        name, plus, suffix = entry.partition("+")
        for version in _NAMED.get(name, name).split(";"):
            yield version + plus + suffix


def architectures() -> list[str]:
    """The flags that say for which GPUs to compile: of TORCH_CUDA_ARCH_LIST, of the GPUs that are there, or of torch."""
    listed = os.environ.get("TORCH_CUDA_ARCH_LIST", "")
    names: list[tuple[str, str]] = []
    for entry in _entries(listed):
        found = re.fullmatch(r"(\d+)\.(\d[af]?)(\+PTX)?", entry)
        if entry and not found:
            raise ValueError(
                f"TORCH_CUDA_ARCH_LIST: {entry!r} is not a GPU architecture; expected a version such as 9.0 or 9.0+PTX, or "
                + ", ".join(_NAMED)
            )
        if found:
            number = found[1] + found[2]
            names += [("sm", number), *([("compute", number)] if found[3] else [])]
    if not names and torch.cuda.is_available():
        capabilities = {torch.cuda.get_device_capability(k) for k in range(torch.cuda.device_count())}
        names = [("sm", f"{major}{minor}") for major, minor in sorted(capabilities)]
    if not names:
        names = [("sm", "90"), ("compute", "90")]
    return [f"-gencode=arch=compute_{number},code={kind}_{number}" for kind, number in names]


def library_flags() -> list[str]:
    """What an extension links besides the libraries for the CPU: also the kernels, of which it calls none by name."""
    suffix = "_emulated" if is_emulated() else ""
    return ["-Wl,--push-state,--no-as-needed", f"-ltorch_cuda{suffix}", "-Wl,--pop-state", f"-lc10_cuda{suffix}"]


def include_paths() -> list[str]:
    """Folders with CUDA's headers, or those of the emulated device."""
    if is_emulated():
        package = os.path.dirname(os.path.abspath(torch.__file__))
        for top in (os.path.join(package, "include"), os.path.dirname(package)):
            folder = os.path.join(top, "c10", "cuda", "emulated", "include")
            if os.path.isdir(folder):
                return [folder]
        return []
    folder = root()
    return [os.path.join(folder, "include"), os.path.join(folder, "include", "cccl")] if folder else []


def link_flags() -> list[str]:
    """Flags of the linker: torch's libraries for CUDA, and CUDA's runtime."""
    folder = root()
    if is_emulated() or folder is None:
        return library_flags()
    return [
        *library_flags(),
        *(f"-L{os.path.join(folder, name)}" for name in ("lib64", "lib")),
        "-lcudart_static",
        "-lrt",
        "-ldl",
        "-lpthread",
    ]


def compile_command(cuda_flags: list[str]) -> list[str]:
    """The command of Ninja that compiles a CUDA source; variables are those of cpp_extension's file."""
    if is_emulated():
        rewrite = f"{sys.executable} -m torch.utils._cuda_extension $in $out.cpp"
        return [f"{rewrite} && $cxx -MMD -MF $out.d -x c++ $cflags -c $out.cpp -o $out"]
    flags = ["-std=c++17", "-Xcompiler=-fPIC", "--expt-relaxed-constexpr", "--expt-extended-lambda", "-O3"]
    flags += [] if names_gpus(cuda_flags) else architectures()
    nvcc = os.path.join(root() or "", "bin", "nvcc")
    return [f"{nvcc} -MMD -MF $out.d $cudaflags {' '.join([*flags, *cuda_flags])} -c $in -o $out"]


# --- the emulated device ------------------------------------------------------------------------------------


class _Reader:
    """Finds the ends of brackets in C++, past strings and comments."""

    def __init__(self, text: str) -> None:
        self.text = text

    def closing(self, at: int) -> int:
        """The position of the bracket that closes the one at `at`."""
        depth, k = 0, at
        while k < len(self.text):
            k = self._past_quoted(k)
            if k >= len(self.text):
                break
            if self.text[k] in "([{":
                depth += 1
            elif self.text[k] in ")]}":
                depth -= 1
                if depth == 0:
                    return k
            k += 1
        raise SyntaxError(f"line {self.line(at)}: this bracket is not closed")

    def line(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1

    def launches(self) -> Iterator[int]:
        """The positions of <<<."""
        k = 0
        while (k := self._past_quoted(k)) < len(self.text):
            if self.text.startswith("<<<", k):
                yield k
                k += 2
            k += 1

    def _past_quoted(self, k: int) -> int:
        while k < len(self.text):
            if self.text.startswith("//", k):
                k = self.text.find("\n", k)
                k = len(self.text) if k < 0 else k
            elif self.text.startswith("/*", k):
                k = self.text.find("*/", k) + 2
            elif self.text[k] in "\"'":
                quote, k = self.text[k], k + 1
                while k < len(self.text) and self.text[k] != quote:
                    k += 2 if self.text[k] == "\\" else 1
                k += 1
            else:
                return k
        return k

    def configuration(self, at: int) -> tuple[list[str], int]:
        """The arguments between <<< and >>>, and the position behind it."""
        parts, start, k = [], at, at
        while k < len(self.text):
            k = self._past_quoted(k)
            if self.text.startswith(">>>", k):
                return [*parts, self.text[start:k].strip()], k + 3
            if self.text[k] in "([{":
                k = self.closing(k)
            elif self.text[k] == ",":
                parts.append(self.text[start:k].strip())
                start = k + 1
            k += 1
        raise SyntaxError(f"line {self.line(at)}: <<< without >>>")

    def kernel(self, end: int) -> int:
        """The position where the name of the kernel before <<< begins."""
        k = end
        while k > 0 and self.text[k - 1].isspace():
            k -= 1
        if k > 0 and self.text[k - 1] == ">":
            depth = 0
            while k > 0:
                k -= 1
                depth += {">": 1, "<": -1}.get(self.text[k], 0)
                if depth == 0:
                    break
        while k > 0 and (self.text[k - 1].isalnum() or self.text[k - 1] in "_:"):
            k -= 1
        return k


def shared_as_pointers(text: str, function: str) -> str:
    """A CUDA source in which a function gives the address of shared memory whose size the launch says."""
    return re.sub(
        r"extern\s+__shared__\s+(?:__align__\s*\(\s*\d+\s*\)\s*)?([\w:<>\s]+?)\s+(\w+)\s*\[\s*\]\s*;",
        rf"\1* \2 = {function}<\1>();",
        text,
    )


def as_cpp(text: str) -> str:
    """A CUDA source as C++ for the emulated device: launches become calls, shared memory of the launch a pointer.

    Args:
        text (str): the source

    Returns:
        the C++

    Raises:
        SyntaxError: a launch that cannot be read
    """
    text = shared_as_pointers(text, "::c10::cuda::dynamic_shared")
    made, done = [], 0
    reader = _Reader(text)
    for at in reader.launches():
        begin = reader.kernel(at)
        configuration, k = reader.configuration(at + 3)
        while k < len(text) and text[k].isspace():
            k += 1
        if begin == at or k >= len(text) or text[k] != "(" or not 2 <= len(configuration) <= 4:
            raise SyntaxError(f"line {reader.line(at)}: expected kernel<<<grid, block[, shared[, stream]]>>>(arguments)")
        end = reader.closing(k)
        grid, block, shared, stream = [*configuration, *("0", "nullptr")[len(configuration) - 2 :]]
        arguments = text[k + 1 : end]
        shape = f"{{dim3({grid}), dim3({block}), static_cast<size_t>({shared})}}"
        call = f"::c10::cuda::launch({text[begin:at].strip()}, {shape}, {stream}"
        made += [text[done:begin], call, f", {arguments})" if arguments.strip() else ")"]
        done = end + 1
    return "#include <c10/cuda/Launch.h>\n#line 1\n" + "".join(made) + text[done:]


def _main(arguments: list[str]) -> Any:
    source, target = arguments
    with open(source) as file:
        text = as_cpp(file.read())
    with open(target, "w") as file:
        file.write(text.replace("#line 1\n", f'#line 1 "{os.path.abspath(source)}"\n', 1))


if __name__ == "__main__":
    _main(sys.argv[1:])
