"""The commands of setup.py that differ from setuptools' own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Command
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.editable_wheel import editable_wheel
from setuptools.command.install import install

from . import cmake
from .bundle import bundle_libraries, copy_headers
from .env import ROOT, max_jobs
from .options import plan
from .version import cuda_version, version, write_version_file

BUILT_FILES = ("_C.*.so", "_C/*.so", "lib/*.so*", "version.py", "**/*.pyi", "_operator_index.json")


class Switches:
    """--cmake and --cmake-only, taken from the command line before setuptools reads it."""

    configure_again = False
    configure_only = False


def take_switches(argv: list[str]) -> None:
    for name, attribute in (("--cmake", "configure_again"), ("--cmake-only", "configure_only")):
        if name in argv:
            argv.remove(name)
            setattr(Switches, attribute, True)


class BuildExt(build_ext):
    """Builds everything with CMake: in the source tree for development, else into the build folder."""

    def run(self) -> None:
        for_development = bool(self.inplace or getattr(self, "editable_mode", False))
        print(f"Building torch {version()} with up to {max_jobs()} jobs", flush=True)
        build = plan(for_development)
        cmake.configure(build, again=Switches.configure_again or Switches.configure_only)
        write_version_file(ROOT / "torch" / "version.py", cuda_version(build.build_dir))
        if Switches.configure_only:
            print(f"Configured {build.build_dir}. To build: ninja -C {build.build_dir}")
            sys.exit(0)
        cmake.build_all(build)
        if not for_development:
            self.collect(build.output_dir, build.build_dir / "generated")

    def collect(self, built: Path, generated: Path) -> None:
        """Copies what was built, the libraries it links, and the headers to the folder that the wheel is made from."""
        package = Path(self.build_lib) / "torch"
        shutil.rmtree(package / "lib", ignore_errors=True)
        bundle_libraries(built / "lib")
        shutil.copytree(built, package, dirs_exist_ok=True)
        shutil.copyfile(ROOT / "torch" / "version.py", package / "version.py")
        copy_headers(ROOT, generated, package / "include")

    def get_outputs(self) -> list[str]:
        return []

    def get_output_mapping(self) -> dict[str, str]:
        return {}


class BuildPy(build_py):
    """Copies the Python files, but not the files that a development build has placed beside them."""

    def find_data_files(self, package: str, src_dir: str) -> list[str]:
        found = super().find_data_files(package, src_dir)
        return [path for path in found if not path.endswith(".so")]


class EditableWheel(editable_wheel):
    """`pip install -e .` as a path entry: type checkers follow it, and it does not slow down Python's start."""

    def initialize_options(self) -> None:
        super().initialize_options()
        self.mode = "compat"


def install_with_pip(command: Command, *arguments: str) -> None:
    """What `develop` and `install` mean today. Does not return."""
    for_development = "-e" in arguments
    if Switches.configure_only:
        extension = command.get_finalized_command("build_ext")
        extension.inplace = for_development
        extension.run()
    if Switches.configure_again:
        # pip builds in a separate process, which does not see these switches.
        cmake.configure(plan(for_development), again=True)
    pip = [sys.executable, "-m", "pip", "install", "-v", "--no-build-isolation", "--no-deps"]
    sys.exit(subprocess.run([*pip, *arguments, str(ROOT)]).returncode)


class Develop(Command):
    """`python setup.py develop` is `pip install -e .`."""

    description = "build, and install torch so that the source tree is what Python imports"
    user_options: list[tuple[str, str | None, str]] = []

    def initialize_options(self) -> None:
        pass

    def finalize_options(self) -> None:
        pass

    def run(self) -> None:
        install_with_pip(self, "-e")


class Install(install):
    """`python setup.py install` is `pip install .`; bdist_wheel runs it too, to fill a folder."""

    def run(self) -> None:
        if self.root is None:
            install_with_pip(self)
        super().run()


class Clean(Command):
    """Removes what builds have written; --all also removes their configuration and build folders."""

    description = "remove built files; with --all the whole build folder too"
    user_options = [("all", "a", "remove the build folder as well")]
    boolean_options = ["all"]

    def initialize_options(self) -> None:
        self.all = False

    def finalize_options(self) -> None:
        pass

    def run(self) -> None:
        for pattern in BUILT_FILES:
            for path in (ROOT / "torch").glob(pattern):
                if not is_tracked(path):
                    path.unlink()
        if self.all:
            for path in (ROOT / "build", ROOT / "dist", ROOT / "torch.egg-info"):
                shutil.rmtree(path, ignore_errors=True)
            (ROOT / "compile_commands.json").unlink(missing_ok=True)
            return
        for build_dir in (ROOT / "build", ROOT / "build" / "wheel", ROOT / "build" / "asan"):
            if (build_dir / "build.ninja").exists():
                cmake.run([cmake.find_tool("ninja", "ninja"), "-C", str(build_dir), "-t", "clean"], {})


def is_tracked(path: Path) -> bool:
    command = ["git", "-C", str(ROOT), "ls-files", "--error-unmatch", str(path)]
    return subprocess.run(command, capture_output=True).returncode == 0


COMMANDS = {
    "build_ext": BuildExt,
    "build_py": BuildPy,
    "editable_wheel": EditableWheel,
    "develop": Develop,
    "install": Install,
    "clean": Clean,
}
