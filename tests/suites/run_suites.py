#!/usr/bin/python3
"""Runs test programs, most of them other people's, on firstcall and compares them with native executables.

    bazel run -c opt //tests/suites:run_suites -- DIR

DIR gets everything: fetched sources, what is compiled, and the results. Every test is compiled by clang in
four ways (configurations.py), each of which also becomes a native executable by the same compiler, and run by firstcall in every
configuration. A test has passed if its exit status, its output and the files it leaves are those of the
native executable. At the end stand the table (passed/differs/left out), each difference with the command
that shows it, and the same in DIR/table.txt; DIR/left_out.txt says what was left out, and why. The status
is 0 if nothing differs that is not in left_out.txt beside this script.

The suite `reports` has small programs of ours after public bug reports and other findings: reports_suite.py
says how one is added. Some of them take a seed, because signals, cancellations and forks come at random
instants. The suite `languages` has programs in C, C++, Rust and D, which are left out where their compiler is not
installed. --flag-sets=N adds N of the sets of compiler flags in flag_sets.py, which a seed chooses, and
--other-compilers the bitcode of clang 13 to 16, where these are installed. For what is thorough, run
--flag-sets=100 with --front-ends-each=4, so that a test is compiled with four of all those sets.

A second call goes on where the first was interrupted: a result is kept until firstcall is another one.

Needs what setup.sh installs, apt-get, and npm for SQLite; no root. DEBIAN_MIRROR names another mirror than
deb.debian.org. Where firstcall is built for AArch64 (bazel run --config=aarch64 ...), so are the programs,
and on a machine of another architecture all of them run in the emulator.
"""

import argparse
import concurrent.futures
import fnmatch
import functools
import hashlib
import os
import platform
import sys
import threading

from comparison import Comparison, Machine
from configurations import CONFIGURATIONS, FRONT_ENDS, ONLY_BY_NAME, OTHER_COMPILERS, choose
from execution import limit_resources
import flag_sets
import gcc_suites
import languages_suite
import lli_suite
import reports_suite
from results import DIFFERS, PASSED, Reasons, Results, format_left_out, format_table, format_xml, \
    judge, make_cases
import suite_files

_HERE = os.path.dirname(os.path.realpath(__file__))
_AARCH64 = 183  # e_machine of an ELF header.

# How many tests are taken of a suite that has thousands.
_DEFAULT_SAMPLES = {"g++": 300, "libstdc++": 300}


def parse_arguments():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description=__doc__)
    parser.add_argument("directory", metavar="DIR", nargs="?", default=os.environ.get("TEST_TMPDIR"),
                        help="where everything is kept")
    parser.add_argument("--only", action="append", default=[], metavar="SUITE[/TEST]",
                        help="a suite, or tests of it; the test is a pattern as of a shell; may be repeated")
    parser.add_argument("--except", action="append", default=[], metavar="SUITE/TEST", dest="excluded",
                        help="not these tests, before a sample is taken; may be repeated")
    parser.add_argument("--configurations", default="", metavar="NAME,...",
                        help=", ".join(one.name for one in CONFIGURATIONS + ONLY_BY_NAME))
    parser.add_argument("--front-ends", default="", metavar="NAME,...",
                        help=", ".join(one.name for one in FRONT_ENDS) + "; NAME+SET adds a set of flags "
                        "(such as O2+fortify; set+Os if the set has a level), clang-14-O2 is another "
                        "compiler's")
    parser.add_argument("--flag-sets", type=int, default=0, metavar="N",
                        help="also N of the sets of compiler flags in flag_sets.py, as further front ends")
    parser.add_argument("--other-compilers", action="store_true",
                        help="also bitcode of earlier versions of clang, where these are installed")
    parser.add_argument("--front-ends-each", type=int, default=0, metavar="N",
                        help="compile each test with N of the front ends, in turn (default: with all)")
    parser.add_argument("--sample", action="append", default=[], metavar="[SUITE:]N",
                        help="at most N tests of each suite, or of one (default: all, but 300 of g++ and "
                        "of libstdc++); 0 is all; may be repeated")
    parser.add_argument("--seed", default="1", help="which tests a sample has (default: 1)")
    parser.add_argument("--expect", type=int, default=0, metavar="N",
                        help="fail if fewer than N runs have passed")
    parser.add_argument("--jobs", type=int, default=2, help="tests at a time (default: 2)")
    parser.add_argument("--skip", metavar="REASON", help="run nothing, as a test of Bazel")
    parser.add_argument("--list", action="store_true", help="print the chosen tests and end")
    parser.add_argument("--gcc-tests", default=gcc_suites.TARBALL, metavar="PATH",
                        help="GCC's source (default: that of gcc-12-source)")
    parser.add_argument("--firstcall", required=True, metavar="PATH", help="the command (Bazel says it)")
    arguments = parser.parse_args()
    if arguments.directory is None:
        parser.error("DIR is missing")
    # Bazel runs us elsewhere.
    start = os.environ.get("BUILD_WORKING_DIRECTORY", ".")
    arguments.directory = os.path.abspath(os.path.join(start, arguments.directory))
    if not os.access(arguments.firstcall, os.X_OK):
        arguments.firstcall = os.path.join(start, arguments.firstcall)
    if not os.access(arguments.firstcall, os.X_OK):
        parser.error("no firstcall to run: " + arguments.firstcall)
    arguments.firstcall = os.path.realpath(arguments.firstcall)
    try:
        arguments.configurations = choose(CONFIGURATIONS, arguments.configurations, ONLY_BY_NAME)
        arguments.front_ends = choose_front_ends(arguments)
        arguments.sample = dict(_DEFAULT_SAMPLES, **parse_samples(arguments.sample))
    except ValueError as error:
        parser.error(str(error))
    return arguments


def choose_front_ends(arguments):
    """Returns those that are named, or the usual ones, and the further ones that are asked for."""
    chosen = choose(FRONT_ENDS, arguments.front_ends, OTHER_COMPILERS + flag_sets.all_front_ends())
    further = OTHER_COMPILERS if arguments.other_compilers else []
    further = further + flag_sets.sample(arguments.flag_sets, arguments.seed)
    return chosen + [one for one in further if one not in chosen]


def parse_samples(texts):
    """Returns {suite: size}; the size for "" is that of all others."""
    samples = {}
    for text in texts:
        suite, _, size = text.rpartition(":")
        if not suite:
            samples.update(dict.fromkeys(_DEFAULT_SAMPLES, int(size)))
        samples[suite] = int(size)
    return samples


def find_machine(firstcall):
    with open(firstcall, "rb") as file:
        header = file.read(20)
    if int.from_bytes(header[18:20], "little") != _AARCH64:
        return Machine(firstcall, [], [])
    emulator = [] if platform.machine() == "aarch64" else ["/usr/bin/qemu-aarch64-static"]
    return Machine(firstcall, ["--target=aarch64-linux-gnu"], emulator)


def make_suites(arguments, machine):
    """Returns for each suite's name the function that makes its tests."""
    directory = arguments.directory

    def gcc():
        return gcc_suites.unpack(os.path.join(directory, "sources"), arguments.gcc_tests)

    def place(suite):
        path = os.path.join(directory, suite)
        os.makedirs(path, exist_ok=True)
        return path

    suites = {
        "torture": lambda: gcc_suites.torture_tests(gcc()),
        "g++": lambda: gcc_suites.gxx_tests(gcc()),
        "libstdc++": lambda: gcc_suites.libstdcxx_tests(gcc(), place("libstdc++"), machine.target_flags),
        "reports": lambda: reports_suite.make_tests(os.path.join(place("reports"), "libraries"),
                                                    machine.target_flags),
        "languages": languages_suite.make_tests,
    }
    for name in suite_files.suite_names():
        suites[name] = functools.partial(suite_files.make_tests, name, directory)
    return suites


def draw(suite, test, seed):
    """A number that depends on the seed and the test's name only."""
    text = "{} {} {}".format(seed, suite, test.name)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def sample(suite, tests, size, seed):
    """Returns `size` of the tests, in their order; with a larger size these are among them."""
    if not size or size >= len(tests):
        return tests
    chosen = set(sorted(draw(suite, test, seed) for test in tests)[:size])
    return [test for test in tests if draw(suite, test, seed) in chosen]


def plan(arguments, chosen):
    """Returns what is to be run: (suite, test, front end)."""
    work = []
    for suite, tests in chosen.items():
        for test in tests:
            count = len(arguments.front_ends)
            first = draw(suite, test, arguments.seed) % count
            turns = {(first + turn) % count for turn in range(arguments.front_ends_each or count)}
            work += [(suite, test, arguments.front_ends[turn]) for turn in sorted(turns)]
    return work


def choose_tests(arguments, suites):
    """Returns the chosen suites' tests as {suite: [Test]}."""
    chosen = {}
    wanted = [only.partition("/") for only in arguments.only]
    unknown = {name for name, _, _ in wanted} - set(suites) - {lli_suite.NAME}
    if unknown:
        sys.exit("run_suites: there is no suite {}; there are {}".format(
            ", ".join(sorted(unknown)), ", ".join(list(suites) + [lli_suite.NAME])))
    for suite, make in suites.items():
        patterns = [pattern or "*" for name, _, pattern in wanted if name == suite]
        if wanted and not patterns:
            continue
        tests = [test for test in make() if not any(
            fnmatch.fnmatchcase(suite + "/" + test.name, pattern) for pattern in arguments.excluded)]
        size = arguments.sample.get(suite, arguments.sample.get("", 0))
        if not patterns or "*" in patterns:
            chosen[suite] = sample(suite, tests, size, arguments.seed)
        else:
            chosen[suite] = [test for test in tests if any(
                fnmatch.fnmatchcase(test.name, pattern) for pattern in patterns)]
    return chosen


class Progress:
    """Says on standard error how far the run is. Thread-safe."""

    def __init__(self, total):
        self._mutex = threading.Lock()
        self._total = total
        self._done = 0

    def note_difference(self, result):
        with self._mutex:
            print("DIFFERS {} {} {} {}: {}".format(*result[:4], result.text), file=sys.stderr)

    def note_done(self, suite):
        with self._mutex:
            self._done += 1
            if self._done % 100 == 0 or self._done == self._total:
                print("{} of {}, {}".format(self._done, self._total, suite), file=sys.stderr)


def run_all(arguments, machine, work, results):
    """Runs what has not been run."""
    progress = Progress(len(work))

    def run_one(suite, test, front_end):
        missing = [one for one in arguments.configurations
                   if not results.has(suite, test.name, front_end.name, one.name)]
        if missing:
            comparison = Comparison(machine, suite, os.path.join(arguments.directory, suite), test,
                                    front_end)
            for result in comparison.run(missing):
                results.add(result)
                if result.verdict == DIFFERS:
                    progress.note_difference(result)
        progress.note_done(suite)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as executor:
        futures = [executor.submit(run_one, *one) for one in work]
        try:
            for future in futures:
                future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            raise


def run_lli(arguments, results):
    """Runs the tests of lli, which stand outside of the matrix of front ends, where they have not been."""
    for configuration in arguments.configurations:
        if results.of(lli_suite.NAME, configuration.name):
            continue
        print("lli, " + configuration.name, file=sys.stderr)
        for result in lli_suite.run(os.path.join(arguments.directory, lli_suite.NAME), arguments.firstcall,
                                    configuration):
            results.add(result)


def report(arguments, work, with_lli, results, reasons):
    """Prints the table and the differences; returns the results."""
    found = [results.get(suite, test.name, front_end.name, one.name)
             for suite, test, front_end in work for one in arguments.configurations]
    if with_lli:
        for one in arguments.configurations:
            found += results.of(lli_suite.NAME, one.name)
    judged = judge([result for result in found if result is not None], reasons)
    differences = [result for result in judged if result.verdict == DIFFERS]
    lines = [format_table(judged, [one.name for one in arguments.configurations]), ""]
    for result in differences:
        lines += ["{} {} {} {}: {}".format(*result[:4], result.text), "    " + result.command]
    lines.append("{} runs, {} differ (passed/differs/left out; left_out.txt says why)".format(
        len(judged), len(differences)))
    with open(os.path.join(arguments.directory, "table.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    with open(os.path.join(arguments.directory, "left_out.txt"), "w", encoding="utf-8") as file:
        file.write(format_left_out(judged) + "\n")
    print("\n".join(lines))
    return judged


def write_xml(cases):
    """Writes the report that Bazel wants of a test."""
    path = os.environ.get("XML_OUTPUT_FILE")
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(format_xml(cases))


def hash_file(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def main():
    arguments = parse_arguments()
    if arguments.skip:
        write_xml([("all", "", arguments.skip)])
        return 0
    limit_resources()
    os.makedirs(arguments.directory, exist_ok=True)
    machine = find_machine(arguments.firstcall)
    chosen = choose_tests(arguments, make_suites(arguments, machine))
    if arguments.list:
        for suite, tests in chosen.items():
            for test in tests:
                print("{}/{}".format(suite, test.name))
        return 0
    reasons = Reasons(os.path.join(_HERE, "left_out.txt"))
    results = Results(os.path.join(
        arguments.directory, "results-{}.jsonl".format(hash_file(arguments.firstcall)[:16])))
    work = plan(arguments, chosen)
    run_all(arguments, machine, work, results)
    with_lli = not machine.emulator and (not arguments.only or lli_suite.NAME in arguments.only)
    if with_lli:
        run_lli(arguments, results)
    judged = report(arguments, work, with_lli, results, reasons)
    write_xml(make_cases(judged))
    verdicts = [result.verdict for result in judged]
    if verdicts.count(PASSED) < arguments.expect:
        print("too few passed: {}, not {}".format(verdicts.count(PASSED), arguments.expect))
        return 1
    return 1 if DIFFERS in verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
