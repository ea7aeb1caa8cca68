#!/usr/bin/env python3
"""Runs damaged programs with both readers of bitcode, and says which of them end differently.

  run_damaged.py --firstcall=PATH FILE...

The files are what `damage_main --keep` leaves: changed files that our reader accepts with all their bodies. Each
runs isolated, with limits, twice: by the baseline code generator without LLVM, and read and compiled by LLVM at
-O0. Both must end the same way: the exit code, the signal, and what was printed. A program that differs from itself
when LLVM compiles it again, to be linked elsewhere (it reads what it never wrote, or prints addresses), says nothing
and is left out. LLVM may refuse a file; then nothing is compared.

Prints a line for each difference, then the counts. The exit code is 1 if there was a difference, and 2 if a path
is wrong.
"""

import argparse
import os
import shutil
import subprocess
import sys

_LIMITS = ["--isolate-memory=512", "--isolate-timeout=5", "--no-object-cache"]
_BASELINE = ["--tier=0"]
_LLVM = ["--tier=0", "--backend=llvm"]
_LLVM_ELSEWHERE = ["--tier=0", "--backend=mcjit"]

# What the command says when LLVM refuses the file, a body, or what an attribute asks of the target.
_REFUSALS = [b"reading bitcode", b"reading its body", b"is not valid IR", b"is not a recognized processor",
             b"cannot parse integer attribute", b"generating code"]
# Isolated programs are ended after 5 s.
_GIVE_UP = 60


def run(firstcall, options, path):
    """Returns how the program ended, and what it printed."""
    try:
        ended = subprocess.run([firstcall, *_LIMITS, *options, path], stdin=subprocess.DEVNULL,
                               capture_output=True, timeout=_GIVE_UP, check=False)
    except subprocess.TimeoutExpired:
        return "hangs", b"", b""
    return ended.returncode, ended.stdout, ended.stderr


def verdict(firstcall, path):
    """Returns one of the counts' names, and a line about a difference."""
    ours, theirs = run(firstcall, _BASELINE, path), run(firstcall, _LLVM, path)
    if ours[:2] == theirs[:2]:
        return "equal", ""
    if any(refusal in theirs[2] for refusal in _REFUSALS):
        return "refused by LLVM", ""
    again = run(firstcall, _LLVM_ELSEWHERE, path)
    if again[:2] != theirs[:2]:
        return "no two runs are alike", ""
    return "different", "{}: {} {!r}, by LLVM {} {!r}; {!r}".format(
        path, ours[0], ours[1][:80], theirs[0], theirs[1][:80], ours[2][:160])


def mistake_in(arguments):
    """Returns what is wrong with the paths that were given, or None."""
    if shutil.which(arguments.firstcall) is None:
        return "--firstcall={}: no such command, or not executable".format(arguments.firstcall)
    missing = [path for path in arguments.files if not os.path.isfile(path)]
    return "{}: no such file".format(missing[0]) if missing else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--firstcall", required=True, metavar="PATH", help="the command")
    parser.add_argument("files", nargs="+", metavar="FILE")
    arguments = parser.parse_args()
    mistake = mistake_in(arguments)
    if mistake:
        print("run_damaged.py: " + mistake, file=sys.stderr)
        return 2
    counts = {}
    for path in arguments.files:
        name, line = verdict(arguments.firstcall, path)
        counts[name] = counts.get(name, 0) + 1
        if line:
            print(line, flush=True)
    print(", ".join("{} {}".format(name, counts[name]) for name in sorted(counts)))
    return 1 if counts.get("different") else 0


if __name__ == "__main__":
    sys.exit(main())
