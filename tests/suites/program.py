"""A program of a suite, made of C and C++ files: its bitcode from each front end, and its native executable.

A Program is compiled on the thread that first asks for one of its forms; others wait. What was compiled
stays in the program's directory and is used again while the commands and the sources are the same.
"""

import hashlib
import os
import shutil
import subprocess
import threading

LLVM = os.environ.get("LLVM_MAJOR", "19")
_COMPILE_TIME_LIMIT = 600


class CannotCompile(Exception):
    """The compiler or the linker refuses the program; the text is its first complaint."""


def _run(command):
    if shutil.which(command[0]) is None:
        raise CannotCompile(command[0] + " is not installed")
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=_COMPILE_TIME_LIMIT, check=False)
    except subprocess.TimeoutExpired as expired:
        raise CannotCompile("the compiler took too long") from expired
    if done.returncode != 0:
        lines = done.stdout.decode(errors="replace").splitlines()
        complaints = [line for line in lines if "error" in line or "undefined" in line] or lines
        raise CannotCompile(complaints[0] if complaints else "status {}".format(done.returncode))


def is_c(path):
    return path.endswith((".c", ".ll"))


class Program:
    """`flags` are the compiler's, `archives` are linked to every form, `link_flags` to the native one, and
    `options` are firstcall's for the same purpose."""

    def __init__(self, name, files, flags=(), archives=(), link_flags=("-lm",), options=()):
        self.name = name
        self.files = list(files)
        self.flags = list(flags)
        self.archives = list(archives)
        self.link_flags = list(link_flags)
        self.options = list(options)
        self._mutex = threading.Lock()

    def build(self, directory, front_end, target_flags):
        """Makes the bitcode files and the executable; returns their paths (list, path), the file with main
        last. Raises CannotCompile."""
        with self._mutex:
            place = os.path.join(directory, front_end.name)
            units = self._units(place, front_end, target_flags)
            modules = [os.path.join(place, "linked.bc")] if front_end.link and len(units) > 1 else [
                bitcode for _, bitcode in units]
            native = os.path.join(place, "native")
            commands = [command for command, _ in units]
            if len(modules) < len(units):
                commands.append(["llvm-link-" + LLVM] + [bitcode for _, bitcode in units] +
                                ["-o", modules[0]])
            commands.append(self._native_command(front_end.compiler, modules, front_end.native_level, front_end,
                                                 target_flags, native))
            self._make(place, commands)
            return modules, native

    def build_optimized(self, modules, front_end, target_flags):
        """Makes an executable of bitcode that `build` has made, optimized; returns its path. Raises
        CannotCompile."""
        with self._mutex:
            native = os.path.join(os.path.dirname(modules[0]), "native-optimized")
            if not os.path.exists(native):
                _run(self._native_command(LLVM, modules, "-O2", front_end, target_flags, native))
            return native

    def _native_command(self, compiler, modules, level, front_end, target_flags, native):
        """Returns the command that makes the executable with a version of clang."""
        driver = "clang" if all(map(is_c, self.files)) else "clang++"
        if any(flag.startswith("-flto") for flag in front_end.native_flags):
            modules = ["-Wl," + module for module in modules]  # These are the linker's to compile.
        return ([driver + "-" + compiler] + target_flags + [level, "-w"] + list(front_end.native_flags) +
                modules + self.archives + ["-rdynamic", "-pthread", "-o", native] + self.link_flags)

    def _units(self, place, front_end, target_flags):
        """Returns for each file the command that compiles it, and the bitcode it makes."""
        units = []
        for number, path in enumerate(self.files):
            stem = os.path.splitext(os.path.basename(path))[0]
            bitcode = os.path.join(place, "{}-{}.bc".format(number, stem))
            driver = "clang" if is_c(path) else "clang++"
            units.append(([driver + "-" + front_end.compiler] + target_flags + front_end.flags + self.flags +
                          ["-w", "-emit-llvm", "-c", path, "-o", bitcode], bitcode))
        return units

    def _fingerprint(self, commands):
        state = [repr(commands)]
        for path in self.files + self.archives:
            info = os.stat(path)
            state.append("{} {} {}".format(path, info.st_size, info.st_mtime_ns))
        return hashlib.sha256("\n".join(state).encode()).hexdigest()

    def _make(self, place, commands):
        stamp = os.path.join(place, "stamp")
        wanted = self._fingerprint(commands)
        try:
            with open(stamp, encoding="utf-8") as file:
                found, complaint = file.read().split("\n", 1)
        except OSError:
            found = complaint = ""
        if found != wanted:
            shutil.rmtree(place, ignore_errors=True)
            os.makedirs(place)
            complaint = ""
            try:
                for command in commands:
                    _run(command)
            except CannotCompile as refused:
                complaint = str(refused)
            with open(stamp, "w", encoding="utf-8") as file:
                file.write(wanted + "\n" + complaint)
        if complaint:
            raise CannotCompile(complaint)


class Test:
    """One run of a program, which sees `argv0` as its own name.

    `status` is what the native executable must end with, None if anything will do; `expected` is a file
    that the suite says its `result` must be like.
    """

    def __init__(self, name, program, arguments=(), data=(), stdin="/dev/null", edit="",
                 status_only=False, expected="", result="stdout", status=None):
        self.name = name
        self.program = program
        self.arguments = list(arguments)
        self.data = list(data)
        self.stdin = stdin
        self.edit = edit
        self.status_only = status_only
        self.expected = expected
        self.result = result
        self.status = status
        self.argv0 = os.path.basename(program.name)
