"""Small programs of ours after public bug reports and other findings, in the folder `reports`.

The first lines of a file, which are comments, say what the program shows and where that is from. Some of
them are directives:

    flags: FLAG ...    the compiler's flags, for every front end
    also: FILE ...     further files of the program
    library: FILE ...  become shared libraries, which the executable is linked with and firstcall loads
    load: NAME ...     shared libraries of this machine's, for the same purpose
    only: x86_64       the architecture that the program is for
    seeds: N           runs the program N times, with the numbers 1 to N as its argument

Files that another file names are no programs of their own. A program ends with status 0.
"""

import os
import re
import subprocess

from program import LLVM, Program, Test

_FOLDER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "reports")
_ENDINGS = (".c", ".cc", ".ll")
_DIRECTIVE = re.compile(r"(?://|;)\s*(flags|also|library|load|only|seeds): (.*)")


def read_directives(path):
    """Returns {name: words} of the directives in a file's first lines."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith(("//", ";")):
                break
            match = _DIRECTIVE.match(line)
            if match:
                found.setdefault(match.group(1), []).extend(match.group(2).split())
    return found


def _make_library(path, directory, target_flags):
    """Compiles a shared library; returns its path."""
    stem = os.path.splitext(os.path.basename(path))[0]
    library = os.path.join(directory, "lib{}.so".format(stem))
    if not os.path.exists(library) or os.path.getmtime(library) < os.path.getmtime(path):
        os.makedirs(directory, exist_ok=True)
        subprocess.run(["clang++-" + LLVM] + target_flags + [
            "-O1", "-fPIC", "-shared", "-x", "c" if path.endswith(".c") else "c++", path, "-o", library],
                       check=True)
    return library


def _make_program(path, directives, directory, target_flags):
    name = os.path.splitext(os.path.basename(path))[0]
    files = [os.path.join(_FOLDER, word) for word in directives.get("also", [])] + [path]
    libraries = [_make_library(os.path.join(_FOLDER, word), directory, target_flags)
                 for word in directives.get("library", [])]
    loaded = directives.get("load", [])
    link_flags = libraries + ["-Wl,-rpath," + directory] * bool(libraries) + [
        "-l:" + word for word in loaded] + ["-lm"]
    return Program(name, files, directives.get("flags", []), link_flags=link_flags,
                   options=["--dlopen=" + library for library in libraries + loaded])


def make_tests(directory, target_flags):
    """Returns the tests. Shared libraries are made in `directory`."""
    architecture = "aarch64" if any("aarch64" in flag for flag in target_flags) else os.uname().machine
    paths = [os.path.join(_FOLDER, file) for file in sorted(os.listdir(_FOLDER))
             if file.endswith(_ENDINGS)]
    directives = {path: read_directives(path) for path in paths}
    parts = {word for found in directives.values()
             for word in found.get("also", []) + found.get("library", [])}
    tests = []
    for path in paths:
        found = directives[path]
        if os.path.basename(path) in parts or architecture not in found.get("only", [architecture]):
            continue
        program = _make_program(path, found, directory, target_flags)
        seeds = int(found.get("seeds", ["0"])[0])
        for seed in range(1, seeds + 1):
            tests.append(Test("{}-{}".format(program.name, seed), program, [str(seed)], status=0))
        if not seeds:
            tests.append(Test(program.name, program, status=0))
    return tests
