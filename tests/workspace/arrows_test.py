#!/usr/bin/python3
"""Compares the arrows between the product's folders, as the BUILD files have them, with two places.

    arrows_test.py GRAPH PAGE TABLE

GRAPH is what `bazel query --output=graph` prints. The block in PAGE (docs/reference/folders.md) that follows the line
"<!-- arrows -->" has a line for each folder: "folder -> folder, folder". What differs is printed, with the block as
it would be right. TABLE is arrows.bzl, which has to have the same arrows: not every target takes its visibility from
the table, so an arrow that the table lacks may build.
"""

import ast
import collections
import re
import sys

_EDGE = re.compile(r'^\s*"//([^:"]*):[^"]*" -> "//([^:"]*):[^"]*"$')
# Not folders of the product: what comes from outside, and the labels that users name.
_OUTSIDE = {"third_party", "", "mcjit"}


def is_of_product(folder):
    return folder.partition("/")[0] not in _OUTSIDE


def read_arrows(graph):
    """Returns folder -> the folders that it uses, of the graph's text."""
    arrows = collections.defaultdict(set)
    for line in graph.splitlines():
        edge = _EDGE.match(line)
        if edge is None:
            continue
        user, used = edge.groups()
        if is_of_product(user) and is_of_product(used):
            arrows[user] |= {used} - {user}
            arrows[used] |= set()
    return arrows


def read_table(text):
    """Returns what the assignment to ARROWS says."""
    found = re.search(r"^ARROWS = (\{.*?^\})", text, re.DOTALL | re.MULTILINE)
    return {user: set(used) for user, used in ast.literal_eval(found.group(1)).items()}


def compare(table, arrows):
    """Returns a line for each arrow that only the table or only the graph has; of users in the graph."""
    lines = []
    for user, all_used in sorted(arrows.items()):
        allowed = {used for used in table.get(user, ()) if is_of_product(used)}
        lines += [f"arrows.bzl allows what nothing needs: {user} -> {used}" for used in sorted(allowed - all_used)]
        lines += [f"arrows.bzl lacks: {user} -> {used}" for used in sorted(all_used - allowed)]
    return lines


def format_arrows(arrows):
    return "".join(f"{user} -> {', '.join(sorted(used))}\n" for user, used in sorted(arrows.items()))


def read_block(page):
    """Returns the text of the block of code behind the mark; None if there is none."""
    found = re.search(r"^<!-- arrows -->\n```\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return found.group(1) if found else None


def main():
    graph, page, table = (open(path, encoding="utf-8").read() for path in sys.argv[1:4])
    arrows = read_arrows(graph)
    if not arrows:
        sys.exit("arrows_test: the graph has no edges between folders")
    different = compare(read_table(table), arrows)
    for line in different:
        print(line, file=sys.stderr)
    actual, written = format_arrows(arrows), read_block(page)
    if actual == written:
        if different:
            sys.exit(1)
        print(f"{sum(map(len, arrows.values()))} arrows between {len(arrows)} folders: as written")
        return
    if written is None:
        print("arrows_test: the page has no block of arrows", file=sys.stderr)
    else:
        actual_lines, written_lines = set(actual.splitlines()), set(written.splitlines())
        for line in sorted(actual_lines - written_lines):
            print("in the BUILD files:", line, file=sys.stderr)
        for line in sorted(written_lines - actual_lines):
            print("in the page:       ", line, file=sys.stderr)
    sys.exit("arrows_test: the page would have to say:\n" + actual)


main()
