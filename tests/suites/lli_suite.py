"""LLVM's own tests of lli, with firstcall in its place: see tests/lli. What they expect stands in them."""

import os
import re
import shlex
import shutil
import subprocess

from results import DIFFERS, LEFT_OUT, PASSED, Result

NAME = "lli"
FRONT_END = "IR"
_SCRIPT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "lli", "run_lli_tests.sh")
_LINE = re.compile(r"^(PASS|XFAIL|UNSUPPORTED|FAIL|XPASS|TIMEOUT|UNRESOLVED): lli :: (\S+)")
_VERDICTS = {"PASS": PASSED, "XFAIL": LEFT_OUT, "UNSUPPORTED": LEFT_OUT}


def _run(directory, firstcall, options):
    """Runs all tests; returns {test: (what lit calls the result, the command)}."""
    command = [_SCRIPT, "--firstcall=" + firstcall] + ["--option=" + option for option in options]
    command.append(directory)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    output = done.stdout.decode(errors="replace")
    found = {}
    for line in output.splitlines():
        match = _LINE.match(line)
        if match:
            found[match.group(2)] = match.group(1)
    if not found:
        raise RuntimeError("no test of lli ran: " + output[-2000:])
    again = shlex.join(command[:-1] + ["--filter=NAME"] + command[-1:])
    return {test: (verdict, again.replace("NAME", re.escape(test))) for test, verdict in found.items()}


def _share_sources(directory):
    """LLVM's archive, if it was fetched for its examples, is not fetched again."""
    sources = os.path.join(os.path.dirname(directory), "sources")
    for file in os.listdir(sources) if os.path.isdir(sources) else []:
        if file.startswith("llvm-toolchain-") and not os.path.lexists(os.path.join(directory, file)):
            os.symlink(os.path.join(sources, file), os.path.join(directory, file))


def run(directory, firstcall, configuration):
    """Returns a Result for each test."""
    os.makedirs(directory, exist_ok=True)
    _share_sources(directory)
    cache = os.path.join(directory, "cache")
    options = list(configuration.options)
    shutil.rmtree(cache, ignore_errors=True)
    if configuration.cached:
        os.mkdir(cache, 0o700)
        options.append("--object-cache-dir=" + cache)
    results = {}
    for number in range(configuration.runs):
        for test, (verdict, command) in _run(directory, firstcall, options).items():
            if number > 0 and test in results and results[test].verdict == DIFFERS:
                continue
            results[test] = Result(NAME, test, FRONT_END, configuration.name,
                                   _VERDICTS.get(verdict, DIFFERS), "lit: " + verdict, command)
    return list(results.values())
