"""GCC's execution tests, from the tarball of Debian's package gcc-12-source.

The C torture tests (gcc.c-torture/execute) and those of g++ and libstdc++ that are run (`dg-do run`).
DejaGnu's directives are understood as far as the tests need it; what clang does not compile, or what fails
as a native executable, is left out when that shows.
"""

import os
import re
import shlex
import subprocess

from program import LLVM, Program, Test

TARBALL = "/usr/src/gcc-12/gcc-12.2.0-dfsg.tar.xz"
_FOLDERS = [
    "gcc/testsuite/gcc.c-torture/execute",
    "gcc/testsuite/g++.dg",
    "gcc/testsuite/g++.old-deja",
    "libstdc++-v3/testsuite",
]

# What GCC 12 only warns about and clang 19 refuses.
_OLD_C = ["-std=gnu17"] + ["-Wno-error=" + warning for warning in [
    "implicit-function-declaration", "implicit-int", "int-conversion", "incompatible-function-pointer-types",
    "return-type", "return-mismatch"]]

_DIRECTIVE = re.compile(r"\{\s*(dg-[a-z-]+)\s+(.*?)\}\s*(?:\*/)?\s*$", re.MULTILINE)
_STANDARD = re.compile(r"c\+\+(\d[\da-z])")


def unpack(directory, tarball=TARBALL):
    """Unpacks the tests into `directory`, unless they are there; returns their root."""
    root = os.path.join(directory, "gcc-12.2.0")
    stamp = os.path.join(root, ".unpacked")
    if not os.path.exists(stamp):
        os.makedirs(root, exist_ok=True)
        subprocess.run(["tar", "-xf", tarball, "-C", root, "--strip-components=1", "--wildcards"] +
                       ["*/" + folder for folder in _FOLDERS], check=True)
        with open(stamp, "w", encoding="utf-8"):
            pass
    return root


def _read(path):
    with open(path, encoding="latin-1") as file:
        return file.read()


def _directives(text):
    """Returns (name, words, selector) of each DejaGnu directive; the words may be in quotes or braces."""
    found = []
    for name, rest in _DIRECTIVE.findall(text):
        match = re.match(r'\s*(?:"([^"]*)"|\{\s*"?([^}"]*)"?\s*\}|(\S+))\s*(.*)', rest)
        if match:
            words = next(group for group in match.groups()[:3] if group is not None)
            found.append((name, words, match.group(4)))
    return found


def _applies(selector):
    """Whether a directive with this target selector is for x86-64."""
    return not selector.strip() or ("target" in selector and "x86_64" in selector and
                                    "ia32" not in selector)


def _options(directives):
    """The compiler's options of dg-options and dg-additional-options; levels and warnings are ours."""
    options = []
    for name, words, selector in directives:
        if name in ("dg-options", "dg-additional-options") and _applies(selector):
            options += shlex.split(words)
    return [option for option in options if not re.match(r"-(O|W(?!l,)|w$|pedantic|fdump)", option)]


def torture_tests(root):
    """gcc.c-torture/execute, with the folders ieee and builtins."""
    execute = os.path.join(root, _FOLDERS[0])
    tests = []
    for folder in ["", "ieee", "builtins"]:
        place = os.path.join(execute, folder)
        for file in sorted(os.listdir(place)):
            stem, ending = os.path.splitext(file)
            if ending != ".c" or stem.endswith("-lib"):
                continue
            files = [os.path.join(place, file)]
            flags = _OLD_C + _options(_directives(_read(files[0])))
            if folder == "builtins":
                files += [os.path.join(place, stem + "-lib.c"), os.path.join(place, "lib", "main.c")]
            name = os.path.join(folder, stem)
            tests.append(Test(name, Program(name, files, flags), status=0))
    return tests


def _cxx_standard(text, directives):
    """The standard that a test asks for in its dg-do directive; clang's own, if that will do."""
    for name, words, selector in directives:
        if name == "dg-do" and words == "run":
            found = [version.replace("2a", "20").replace("1z", "17") for version in
                     _STANDARD.findall(selector)]
            if "_down" in selector or "_only" in selector or "! c++" in selector:
                return "-std=gnu++" + ("98" if "98" in "".join(found) or "! c++11" in selector else "14")
            if found and max(found, key=int) > "17" and max(found, key=int) != "98":
                return "-std=gnu++" + max(found, key=int)
    return "-std=gnu++17"


def _is_run(text):
    """Whether a test is run, and meant to succeed."""
    match = re.search(r"\{\s*dg-do\s+run\b(.*)", text)
    return match is not None and "xfail *-*-*" not in match.group(1)


def _cxx_test(root, path, flags, archives, data):
    text = _read(path)
    directives = _directives(text)
    options = _options(directives)
    if not any(option.startswith("-std=") for option in options):
        options.insert(0, _cxx_standard(text, directives))
    extra = [os.path.join(os.path.dirname(path), word) for name, words, _ in directives
             if name == "dg-additional-sources" for word in words.split()]
    name = os.path.splitext(os.path.relpath(path, root))[0]
    return Test(name, Program(name, [path] + extra, flags + options, archives),
                data=data if re.search(r'\.(txt|tst)"', text) else [], status=0)


def _find_run_tests(place, ending):
    for folder, folders, files in os.walk(place):
        folders.sort()
        for file in sorted(files):
            path = os.path.join(folder, file)
            if file.endswith(ending) and _is_run(_read(path)):
                yield path


def gxx_tests(root):
    """Tests of g++.dg and g++.old-deja that are run."""
    tests = []
    for folder in _FOLDERS[1:3]:
        place = os.path.join(root, folder)
        tests += [_cxx_test(os.path.dirname(place), path, [], [], [])
                  for path in _find_run_tests(place, ".C")]
    return tests


def make_libtestcxx(root, directory, target_flags):
    """Compiles what libstdc++'s tests share; returns the archive."""
    util = os.path.join(root, _FOLDERS[3], "util")
    archive = os.path.join(directory, "libtestc++.a")
    if not os.path.exists(archive):
        objects = []
        for stem in ["testsuite_allocator", "testsuite_character", "testsuite_hooks"]:
            objects.append(os.path.join(directory, stem + ".o"))
            subprocess.run(["clang++-" + LLVM] + target_flags +
                           ["-O1", "-fPIC", "-w", "-I", util, "-c", os.path.join(util, stem + ".cc"),
                            "-o", objects[-1]], check=True)
        subprocess.run(["llvm-ar-" + LLVM, "rcs", archive] + objects, check=True)
    return archive


def libstdcxx_tests(root, directory, target_flags):
    """libstdc++'s tests that are run."""
    place = os.path.join(root, _FOLDERS[3])
    archive = make_libtestcxx(root, directory, target_flags)
    data = [os.path.join(place, "data", file) for file in sorted(os.listdir(os.path.join(place, "data")))]
    flags = ["-I", os.path.join(place, "util")]
    return [_cxx_test(place, path, flags, [archive], data) for path in _find_run_tests(place, ".cc")]
