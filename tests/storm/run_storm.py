#!/usr/bin/env python3
"""Runs SQLite, Lua and a C++ program with threads while signals, forks and cancellations come at random instants:

  bazel run -c opt //tests/storm:run_storm -- DIR [--events=N] [--seed=N] [--only=WORD]

DIR is that of benchmarks/fetch_workloads.sh. For each program, kind of event and set of options the program is run
until N events (10,000) have come, or for cancellations N / 100 times. What the program prints must be what it prints
undisturbed; each child, and each process whose program was cancelled, must end as it should. Prints a line for each,
and where something is wrong the command that shows it again, as far as chance allows; the status is 1 then. WORD
chooses lines that contain it.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
OPTIONS = {
    "default": [],
    "tier 0": ["--tier=0"],
    "tier 1": ["-O2"],
    "promoted at once": ["--promotion-threshold=1", "--promotion-threads=0"],
    "compile threads": ["--compile-threads=2"],
    "eager": ["--mode=eager"],
}
MOST_SECONDS = 300
OF_CANCELLED = 7  # The status of storm.c.


def compile_to(path, source, level):
    compiler = ("clang++-" if source.endswith(".cc") else "clang-") + os.environ.get("LLVM_MAJOR", "19")
    subprocess.run([compiler, level, "-emit-llvm", "-c", os.path.join(HERE, source), "-o", path], check=True)


def write_less_work(path, source):
    """The statements for a fraction of the rows."""
    with open(source) as whole, open(path, "w") as less:
        less.write(re.sub(r"< (\d+)0{5}\b", r"< \g<1>000", whole.read()))


def run(command, storm=None, most_microseconds=0):
    """The status, the output and the errors; the status is None if the program hangs."""
    environment = dict(os.environ, STORM_MICROSECONDS=str(most_microseconds), STORM=storm or "")
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired as error:
        return None, error.stdout or b"", error.stderr or b""
    return done.returncode, done.stdout, done.stderr


def count_events(errors):
    found = re.search(rb"storm: done (\d+) handled (\d+)\n$", errors)
    return int(found.group(1)) if found else None


class Failure(Exception):
    pass


def check(command, storm, expected, most_microseconds):
    """Returns how many events came."""
    status, output, errors = run(command, storm, most_microseconds)
    events = count_events(errors)
    is_cancelled = storm.startswith("cancel") and status == OF_CANCELLED
    if events is None and storm.startswith("cancel") and (status, output) == expected:
        return 0  # It was over before.
    if events is None or not (is_cancelled or (status, output) == expected):
        text = errors.decode(errors="replace")[-2000:]
        raise Failure(f"status {status}\n  STORM={storm} {' '.join(command)}\n{text}")
    return events


def storm_until(wanted, kind, seed, command):
    begin = time.monotonic()
    expected = run(command)[:2]
    most_microseconds = min(int((time.monotonic() - begin) * 1e6), 900_000)
    events = runs = 0
    while runs < wanted if kind == "cancel" else events < wanted:
        events += check(command, f"{kind}:{seed + runs}", expected, most_microseconds)
        runs += 1
    return events, runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--firstcall", required=True, help=argparse.SUPPRESS)
    parser.add_argument("directory")
    parser.add_argument("--events", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    firstcall = os.path.abspath(arguments.firstcall)
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    directory = os.path.abspath(arguments.directory)
    failures = 0
    with tempfile.TemporaryDirectory() as made:
        storm, threads = os.path.join(made, "storm.bc"), os.path.join(made, "threads.bc")
        compile_to(storm, "storm.c", "-O1")
        compile_to(threads, "threads.cc", "-O2")
        work, statements = os.path.join(directory, "compute"), os.path.join(made, "work.sql")
        write_less_work(statements, f"{work}/work.sql")
        programs = {
            "sqlite": [f"{work}/sq.bc", statements],
            "lua": [f"{work}/lua.bc", f"{work}/work.lua", "5"],
            "threads": [threads, "1000"],
        }
        for program, command in programs.items():
            # A program with threads does not outlive that its first thread is cancelled; it cancels others itself.
            for kind in ("signals", "forks") if program == "threads" else ("signals", "forks", "cancel"):
                for name, options in OPTIONS.items():
                    line = f"{program}, {kind}, {name}"
                    if arguments.only not in line:
                        continue
                    whole = [firstcall, *options, f"--extra-module={storm}", *command]
                    wanted = arguments.events // 100 if kind == "cancel" else arguments.events
                    try:
                        events, runs = storm_until(wanted, kind, arguments.seed, whole)
                        print(f"{line}: {events} events in {runs} runs", flush=True)
                    except Failure as failure:
                        failures += 1
                        print(f"{line}: WRONG: {failure}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
