"""Real programs and their tests, which .suite files describe: see describe_suite.sh."""

import os
import re
import subprocess

from program import Program, Test

_HERE = os.path.dirname(os.path.realpath(__file__))


def _names(directory):
    return sorted(file[:-len(".suite")] for file in os.listdir(directory) if file.endswith(".suite"))


def suite_names():
    return _names(_HERE)


def package_names():
    """Returns the names of suites that have programs and no tests."""
    return _names(os.path.join(_HERE, "packages"))


def _describe(suite, directory):
    """Returns (kind, fields) of each record."""
    done = subprocess.run([os.path.join(_HERE, "describe_suite.sh"), suite, directory],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    words = done.stdout.decode().split("\0")[:-1]
    records = []
    while words:
        kind, count = words[0], int(words[1])
        records.append((kind, words[2:2 + count]))
        words = words[2 + count:]
    return records


def _divide(words, separator):
    """Divides a list at each `separator`."""
    parts = [[]]
    for word in words:
        if word == separator:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _program(fields):
    flags, files, linked = (_divide(fields[1:], "--") + [[]])[:3]
    # Only those the program needs are taken from an archive, so it matters who comes last.
    files = sorted(files)
    archives = [word for word in linked if not word.startswith("-")]
    libraries = [word for word in linked if word.startswith("-")]
    return Program(fields[0], files, flags, archives, libraries + ["-lm"])


def _test(fields, programs):
    options = {"data": []}
    while fields[0].startswith("-"):
        name, _, value = fields[0][2:].partition("=")
        if name == "data":
            options["data"].append(value)
        else:
            options[name] = value
        fields = fields[1:]
    program, arguments = programs[fields[0]], fields[1:]
    label = options.get("name") or " ".join([os.path.basename(word) for word in arguments])
    name = re.sub(r"[^\w.+-]+", "_", (program.name + " " + label).strip())
    return Test(name, program, arguments, options["data"], options.get("input", "/dev/null"),
                options.get("edit", ""), "status-only" in options, options.get("expected", ""),
                options.get("result", "stdout"))


def make_programs(suite, directory):
    """Fetches and unpacks the sources of a suite; returns its programs."""
    return [_program(fields) for kind, fields in _describe(suite, directory) if kind == "program"]


def make_tests(suite, directory):
    """Fetches and unpacks the sources of a suite; returns its tests."""
    programs, tests, names = {}, [], set()
    for kind, fields in _describe(suite, directory):
        if kind == "program":
            programs[fields[0]] = _program(fields)
            continue
        test = _test(fields, programs)
        if test.name in names:
            test.name += "-{}".format(len(tests))
        names.add(test.name)
        tests.append(test)
    return tests
