"""Programs of ours in languages other than C and C++, in the folder `languages`: Rust and D.

Their compilers need not be installed. If one is not, or has a later LLVM than ours, whose bitcode cannot be
read, its programs are left out. Both use their standard library as a shared one.
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
        """Returns the command, and says with what the program is to be linked. Raises CannotCompile."""
        raise NotImplementedError

    def _link_with(self, libraries):
        self.link_flags = [library if "/" in library else "-l:" + library for library in libraries]
        self.link_flags += ["-Wl,-rpath," + os.path.dirname(library) for library in libraries
                            if "/" in library] + ["-lm"]
        self.options = ["--dlopen=" + library for library in libraries]


class _RustProgram(_OtherProgram):
    def __init__(self, name, path):
        super().__init__(name, path, _RUST_FLAGS)

    def _compile_command(self, path, flags, bitcode):
        compiler = _find_compiler("rustc")
        self._link_with([_find_rust_library(compiler, "libstd-*.so")])
        # It has what unoptimized code with large frames calls, such as __rust_probestack.
        self.archives = [_find_rust_library(compiler, "libcompiler_builtins-*.rlib")]
        return [compiler, "--edition=2018", "--emit=llvm-bc", "-Cprefer-dynamic", "-Ccodegen-units=1",
                "--cap-lints=allow"] + flags + [path, "-o", bitcode]


class _DProgram(_OtherProgram):
    def __init__(self, name, path):
        super().__init__(name, path, _D_FLAGS)

    def _compile_command(self, path, flags, bitcode):
        compiler = _find_compiler("ldc2")
        self._link_with(["libphobos2-ldc-shared.so", "libdruntime-ldc-shared.so"])
        return [compiler, "--output-bc"] + flags + [path, "-of=" + bitcode]


_KINDS = {".rs": _RustProgram, ".d": _DProgram}


def make_tests():
    """Returns the tests."""
    tests = []
    for file in sorted(os.listdir(_FOLDER)):
        name = file.replace(".", "-")
        kind = _KINDS[os.path.splitext(file)[1]]
        tests.append(Test(name, kind(name, os.path.join(_FOLDER, file)), status=0))
    return tests
