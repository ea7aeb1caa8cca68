"""Programs of ours that show much of a language each, in the folder `languages`: C, C++, Rust and D.

The compilers of Rust and D need not be installed. If one is not, or has a later LLVM than ours, whose bitcode
cannot be read, its programs are left out. Both use their standard library as a shared one.
"""

import functools
import glob
import os
import re
import shutil
import subprocess

from program import LLVM, CannotCompile, Program, Test

_FOLDER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "languages")

# For each front end by its name.
_RUST_FLAGS = {
    "O0": ["-Copt-level=0"],
    "O0-g": ["-Copt-level=0", "-g"],
    "O1-no-passes": ["-Copt-level=1", "-Cno-prepopulate-passes"],
    "O2": ["-Copt-level=2"],
}
_D_FLAGS = {
    "O0": ["-O0"],
    "O0-g": ["-O0", "-g"],
    "O2": ["-O2"],
}


def _output(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    return done.stdout.decode(errors="replace")


@functools.lru_cache(maxsize=None)
def _find_compiler(name):
    """Returns the first compiler of that name whose LLVM is not later than ours. Raises CannotCompile."""
    reason = name + " is not installed"
    for folder in os.environ.get("PATH", "").split(":") + ["/usr/bin"]:
        path = shutil.which(name, path=folder)
        if path is None:
            continue
        match = re.search(r"LLVM(?: version:)? (\d+)", _output([path, "-vV"]) + _output([path, "--version"]))
        if match and int(match.group(1)) <= int(LLVM):
            return path
        reason = "{} has LLVM {}".format(name, match.group(1) if match else "of an unknown version")
    raise CannotCompile(reason)


def _find_rust_library(compiler, name):
    """Returns the path of a library that is installed with the compiler. Raises CannotCompile."""
    root = _output([compiler, "--print=sysroot"]).strip()
    found = glob.glob(os.path.join(root, "lib", "rustlib", os.uname().machine + "*", "lib", name))
    if not found:
        raise CannotCompile("there is no {} of Rust's".format(name))
    return os.path.realpath(found[0])


class _OtherProgram(Program):
    """A program of one file. The compiler is looked for when the program is first compiled."""

    def __init__(self, name, path, flags_by_front_end):
        super().__init__(name, [path])
        self._flags_by_front_end = flags_by_front_end

    def _units(self, place, front_end, target_flags):
        flags = self._flags_by_front_end.get(front_end.name)
        if flags is None:
            raise CannotCompile("its compiler has no such flags")
        if target_flags:
            raise CannotCompile("only for this machine's architecture")
        bitcode = os.path.join(place, "0-" + os.path.basename(self.files[0]) + ".bc")
        return [(self._compile_command(self.files[0], flags, bitcode), bitcode)]

    def _compile_command(self, path, flags, bitcode):
        """Returns the command, and says what firstcall is to load and to link. Raises CannotCompile."""
        raise NotImplementedError

    def _native_command(self, compiler, modules, level, front_end, target_flags, native):
        """The executable is made of the source by the program's own compiler."""
        return self._link_command(self.files[0], self._flags_by_front_end[front_end.name], native)

    def _link_command(self, path, flags, native):
        """Returns the command. Raises CannotCompile."""
        raise NotImplementedError

    def _load(self, libraries):
        self.options = ["--dlopen=" + library for library in libraries]


class _RustProgram(_OtherProgram):
    _COMMON = ["--edition=2018", "-Cprefer-dynamic", "-Ccodegen-units=1", "--cap-lints=allow"]

    def __init__(self, name, path):
        super().__init__(name, path, _RUST_FLAGS)

    def _compile_command(self, path, flags, bitcode):
        compiler = _find_compiler("rustc")
        self._load([_find_rust_library(compiler, "libstd-*.so")])
        # It has what unoptimized code with large frames calls, such as __rust_probestack.
        self.archives = [_find_rust_library(compiler, "libcompiler_builtins-*.rlib")]
        return [compiler, "--emit=llvm-bc"] + self._COMMON + flags + [path, "-o", bitcode]

    def _link_command(self, path, flags, native):
        compiler = _find_compiler("rustc")
        libraries = os.path.dirname(_find_rust_library(compiler, "libstd-*.so"))
        return [compiler, "-Clink-arg=-Wl,-rpath," + libraries] + self._COMMON + flags + [path, "-o", native]


class _DProgram(_OtherProgram):
    def __init__(self, name, path):
        super().__init__(name, path, _D_FLAGS)

    def _compile_command(self, path, flags, bitcode):
        compiler = _find_compiler("ldc2")
        self._load(["libphobos2-ldc-shared.so", "libdruntime-ldc-shared.so"])
        return [compiler, "--output-bc"] + flags + [path, "-of=" + bitcode]

    def _link_command(self, path, flags, native):
        return [_find_compiler("ldc2"), "--link-defaultlib-shared"] + flags + [path, "-of=" + native]


def _c_program(name, path):
    return Program(name, [path])


def _cxx_program(name, path):
    return Program(name, [path], ["-std=c++17"])


_KINDS = {".c": _c_program, ".cc": _cxx_program, ".d": _DProgram, ".rs": _RustProgram}


def make_tests():
    """Returns the tests."""
    tests = []
    for file in sorted(os.listdir(_FOLDER)):
        name = file.replace(".", "-")
        kind = _KINDS[os.path.splitext(file)[1]]
        tests.append(Test(name, kind(name, os.path.join(_FOLDER, file)), status=0))
    return tests
