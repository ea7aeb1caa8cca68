#!/usr/bin/python3
"""Prints which share of Debian's packages the baseline code generator covers, and why not the rest.

    bazel run -c opt //tests/suites:coverage_table -- DIR

DIR gets the sources and the bitcode, which a second call uses again. The packages are those of the suites
(*.suite) and of packages/. Every file of a package is compiled with each of the sets of flags: as Debian
builds packages (dpkg-buildflags), with -O2, with debug information, without optimization, and with each
sanitizer. A file that does not compile is left out and counted. For each set there is a line for each
package, one for all packages, and the reasons of what is not covered, the most instructions first.

The status is 1 if a set has more that is not covered than --most-functions and --most-instructions (in
percent, of all packages) allow.

Needs what setup.sh installs and apt-get; the flags of Debian are those of this file if dpkg-buildflags is not
installed.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import sys

from program import LLVM, is_c
import suite_files

# Suites whose programs come from elsewhere.
_NOT_OF_DEBIAN = {"benchmarks", "llvm-examples"}

# What dpkg-buildflags says in Debian 12, with all hardening.
_DEBIAN = ("-g -O2 -fstack-protector-strong -Wformat -Werror=format-security -fPIE -Wdate-time "
           "-D_FORTIFY_SOURCE=2")

_FLAG_SETS = {
    "debian": "",  # Asked for.
    "plain": "-O2",
    "g": "-O2 -g",
    "O0-g": "-O0 -g",
    "address": "-O2 -g -fsanitize=address",
    "undefined": "-O2 -g -fsanitize=undefined",
    "thread": "-O2 -g -fsanitize=thread",
    "memory": "-O2 -g -fsanitize=memory",
    "coverage": "-O2 -g -fsanitize-coverage=trace-pc-guard,trace-cmp",
}

_TOTAL = re.compile(r"(\d+) functions, (\d+) instructions; covered")
_REASON = re.compile(r"  (\d+) functions, (\d+) instructions: (.*)")

# `all` and each of `reasons` is a pair: functions, instructions.
Count = collections.namedtuple("Count", "all reasons")


def _parse_arguments():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description=__doc__)
    parser.add_argument("directory", metavar="DIR", nargs="?", default=os.environ.get("TEST_TMPDIR"),
                        help="where everything is kept")
    parser.add_argument("--coverage-of", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--packages", default="", metavar="NAME,...", help="default: all")
    parser.add_argument("--reports", action="store_true",
                        help="the programs in reports/ instead of packages; fetches nothing")
    parser.add_argument("--flags", default="", metavar="NAME,...", help=", ".join(_FLAG_SETS))
    parser.add_argument("--sample", type=int, default=0, metavar="N",
                        help="at most N files of each package (default: all)")
    parser.add_argument("--most-functions", type=float, default=100, metavar="PERCENT")
    parser.add_argument("--most-instructions", type=float, default=100, metavar="PERCENT")
    return parser.parse_args()


def _flags_of_debian():
    if shutil.which("dpkg-buildflags") is None:
        return _DEBIAN.split()
    environment = dict(os.environ, DEB_BUILD_MAINT_OPTIONS="hardening=+all")
    flags = []
    for name in ["CFLAGS", "CPPFLAGS"]:
        done = subprocess.run(["dpkg-buildflags", "--get", name], env=environment, stdout=subprocess.PIPE,
                              check=True)
        flags += done.stdout.decode().split()
    return [flag for flag in flags if not flag.startswith("-ffile-prefix-map")]


def _files_of(package, directory, sample):
    """Returns (path, flags) of the package's files, each once."""
    files = {}
    for program in suite_files.make_programs(package, directory):
        for path in program.files:
            files.setdefault(path, program.flags)
    return _sampled(files.items(), sample)


def _reports():
    """Returns (path, flags) of our own programs that are C or C++."""
    directory = os.path.join(os.path.dirname(os.path.realpath(__file__)), "reports")
    names = [name for name in sorted(os.listdir(directory)) if name.endswith((".c", ".cc", ".cpp"))]
    return [(os.path.join(directory, name), [] if is_c(name) else ["-std=c++17"]) for name in names]


def _sampled(files, sample):
    chosen = sorted(files, key=lambda file: hashlib.sha256(os.path.basename(file[0]).encode()).digest())
    return sorted(chosen[:sample] if sample else chosen)


def _compile(path, flags, bitcode):
    """Returns whether there is bitcode."""
    if os.path.exists(bitcode):
        return True
    driver = "clang" if is_c(path) else "clang++"
    new = bitcode + ".new"
    done = subprocess.run([driver + "-" + LLVM] + flags + ["-w", "-emit-llvm", "-c", path, "-o", new],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False)
    if done.returncode == 0:
        os.replace(new, bitcode)
    return done.returncode == 0


def _compile_all(files, flags, place, pool):
    """Returns the bitcode of all files that can be compiled."""
    os.makedirs(place, exist_ok=True)
    names = [os.path.join(place, hashlib.sha256(repr((path, own + flags)).encode()).hexdigest()[:16] + "-" +
                          os.path.splitext(os.path.basename(path))[0] + ".bc") for path, own in files]
    done = list(pool.map(lambda job: _compile(job[0][0], job[0][1] + flags, job[1]), zip(files, names)))
    return [name for name, compiled in zip(names, done) if compiled]


def _count(coverage_of, bitcode):
    done = subprocess.run([coverage_of, "--sum"] + bitcode, stdout=subprocess.PIPE, check=True)
    total, reasons = (0, 0), {}
    for line in done.stdout.decode().splitlines():
        match = _TOTAL.search(line)
        if match:
            total = (int(match.group(1)), int(match.group(2)))
        match = _REASON.match(line)
        if match:
            reasons[match.group(3)] = (int(match.group(1)), int(match.group(2)))
    return Count(total, reasons)


def _add(counts):
    total, reasons = (0, 0), {}
    for count in counts:
        total = tuple(map(sum, zip(total, count.all)))
        for reason, part in count.reasons.items():
            reasons[reason] = tuple(map(sum, zip(reasons.get(reason, (0, 0)), part)))
    return Count(total, reasons)


def _shares_left(count):
    """Returns the shares of functions and of instructions, in percent, that are not covered."""
    left = [sum(part[kind] for part in count.reasons.values()) for kind in (0, 1)]
    return [100 * part / whole if whole else 0 for part, whole in zip(left, count.all)]


def _print_row(name, count, uncompiled):
    functions, instructions = _shares_left(count)
    print("{:20} {:8} {:9} {:10.3f} {:10.3f}{}".format(
        name, *count.all, functions, instructions,
        "   ({} files do not compile)".format(uncompiled) if uncompiled else ""), flush=True)


def _files_of_packages(arguments, directory):
    packages = arguments.packages.split(",") if arguments.packages else (
        sorted(set(suite_files.suite_names() + suite_files.package_names()) - _NOT_OF_DEBIAN))
    return {package: _files_of(package, directory, arguments.sample) for package in packages}


def main():
    arguments = _parse_arguments()
    directory = os.path.abspath(arguments.directory)
    if arguments.reports:
        files = {"reports": _sampled(_reports(), arguments.sample)}
    else:
        files = _files_of_packages(arguments, directory)
    packages = list(files)
    names = arguments.flags.split(",") if arguments.flags else list(_FLAG_SETS)
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name in names:
            flags = _FLAG_SETS[name].split() if _FLAG_SETS[name] else _flags_of_debian()
            print("{:20} {:>8} {:>9} {:>21}".format("== " + name, "functions", "instr.", "not covered, %"))
            counts = []
            for package in packages:
                place = os.path.join(directory, "bitcode", name, package)
                bitcode = _compile_all(files[package], flags, place, pool)
                counts.append(_count(arguments.coverage_of, bitcode))
                _print_row(package, counts[-1], len(files[package]) - len(bitcode))
            total = _add(counts)
            _print_row("all", total, 0)
            for reason, part in sorted(total.reasons.items(), key=lambda item: -item[1][1]):
                print("  {} functions, {} instructions: {}".format(*part, reason))
            functions, instructions = _shares_left(total)
            failed |= functions > arguments.most_functions or instructions > arguments.most_instructions
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
