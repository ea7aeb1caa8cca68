"""What became of every run: kept in a file, so that a later call goes on where an earlier one ended, and
printed as a table."""

import collections
import fnmatch
import json
import threading
from xml.sax.saxutils import quoteattr

PASSED, DIFFERS, LEFT_OUT = "passed", "differs", "left out"

# One cell of the matrix for one test. `text` is how it differs, or why it is left out; `command` shows it
# again.
Result = collections.namedtuple("Result", "suite test front_end configuration verdict text command")


class Results:
    """The results in one file, a line of JSON each. Thread-safe."""

    def __init__(self, path):
        self._mutex = threading.Lock()
        self._by_cell = {}
        self._file = open(path, "a+", encoding="utf-8", buffering=1)
        self._file.seek(0)
        for line in self._file:
            if not line.endswith("\n"):  # Somebody was interrupted.
                self._file.write("\n")
            elif line != "\n":
                self._read(line)

    def _read(self, line):
        try:
            self._remember(Result(*json.loads(line)))
        except ValueError:
            pass  # This is where somebody was interrupted.

    def _remember(self, result):
        self._by_cell[result[:4]] = result

    def add(self, result):
        with self._mutex:
            self._remember(result)
            self._file.write(json.dumps(result) + "\n")

    def has(self, *cell):
        with self._mutex:
            return cell in self._by_cell

    def of(self, suite, configuration):
        """Returns all results of a suite in a configuration."""
        with self._mutex:
            return [result for result in self._by_cell.values()
                    if result.suite == suite and result.configuration == configuration]

    def get(self, *cell):
        with self._mutex:
            return self._by_cell.get(cell)


class Reasons:
    """The file of differences that are no faults: in each line patterns for suite, test, front end and
    configuration, and after a colon the reason. The patterns are those of a shell."""

    def __init__(self, path):
        self._patterns = []
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                line = line.strip()
                if not line or line.startswith("#"):
                    continue
                patterns, colon, reason = line.partition(": ")
                if not colon or len(patterns.split()) != 4:
                    raise ValueError("{}:{}: not SUITE TEST FRONT_END CONFIGURATION: REASON".format(
                        path, number))
                self._patterns.append((patterns.split(), reason))
        self._used = set()

    def find(self, result):
        """Returns the reason for a difference; an empty string if there is none."""
        for patterns, reason in self._patterns:
            if all(map(fnmatch.fnmatchcase, result[:4], patterns)):
                self._used.add(tuple(patterns))
                return reason
        return ""

    def unused(self):
        """The lines' patterns that no difference was found for."""
        return [" ".join(patterns) for patterns, _ in self._patterns if tuple(patterns) not in self._used]


def judge(results, reasons):
    """Returns the results with the differences that have a reason as left out."""
    judged = []
    for result in results:
        reason = reasons.find(result) if result.verdict == DIFFERS else ""
        judged.append(result._replace(verdict=LEFT_OUT, text=reason) if reason else result)
    return judged


def format_table(results, configurations):
    """Rows of suite and front end, a column for each configuration: passed/differs/left out."""
    counts = collections.defaultdict(collections.Counter)
    rows = {}
    for result in results:
        row = (result.suite, result.front_end)
        rows.setdefault(result.suite, set()).add(row)
        counts[row + (result.configuration,)][result.verdict] += 1
    cells = [["suite", "from"] + configurations]
    for row in [row for of_suite in rows.values() for row in sorted(of_suite)]:
        cells.append(list(row))
        for configuration in configurations:
            count = counts[row + (configuration,)]
            cells[-1].append("/".join(str(count[verdict]) for verdict in (PASSED, DIFFERS, LEFT_OUT)))
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
                     for line in cells)


def format_left_out(results):
    """The tests that were left out, a line for each reason and test."""
    tests = collections.defaultdict(list)
    for result in results:
        if result.verdict == LEFT_OUT:
            tests[result.suite, result.test, result.text].append(result)
    lines = []
    for (suite, test, text), cells in sorted(tests.items()):
        front_ends = ",".join(sorted({cell.front_end for cell in cells}))
        configurations = len({cell.configuration for cell in cells})
        lines.append("{} {} ({}; {} configurations): {}".format(suite, test, front_ends, configurations,
                                                                text))
    return "\n".join(lines)


def format_xml(cases):
    """A report as GoogleTest writes it: `cases` has (name, what failed, why it was skipped)."""
    lines = ["<?xml version='1.0' encoding='UTF-8'?>", '<testsuites><testsuite name="suites">']
    for name, failure, skipped in cases:
        lines.append('<testcase classname="suites" name={}>'.format(quoteattr(name)))
        if failure:
            lines.append("<failure message={}/>".format(quoteattr(failure)))
        elif skipped:
            lines.append("<skipped message={}/>".format(quoteattr(skipped)))
        lines.append("</testcase>")
    return "\n".join(lines + ["</testsuite></testsuites>"]) + "\n"


def make_cases(results):
    """One case for each test and front end: what differs, or the reason if all of it was left out."""
    groups = collections.defaultdict(list)
    for result in results:
        groups["{}/{} {}".format(*result[:3])].append(result)
    cases = []
    for name, group in groups.items():
        failures = [result.configuration + " " + result.text for result in group
                    if result.verdict == DIFFERS]
        passed = any(result.verdict == PASSED for result in group)
        cases.append((name, "; ".join(failures), "" if passed else group[0].text))
    return cases
