#!/usr/bin/python3
"""Compares the arrows between the product's folders, as the BUILD files have them, with docs/reference/folders.md.

    arrows_test.py GRAPH PAGE

GRAPH is what `bazel query --output=graph` prints. The block in PAGE that follows the line "<!-- arrows -->" has a
line for each folder: "folder -> folder, folder". What differs is printed, with the block as it would be right.
"""

import collections
import re
import sys

_EDGE = re.compile(r'^\s*"//([^:"]*):[^"]*" -> "//([^:"]*):[^"]*"$')
# Not folders of the product: what comes from outside, and the labels that users name.
_OUTSIDE = {"third_party", ""}


def read_arrows(graph):
    """Returns folder -> the folders that it uses, of the graph's text."""
    arrows = collections.defaultdict(set)
    for line in graph.splitlines():
        edge = _EDGE.match(line)
        if edge is None:
            continue
        user, used = (package.partition("/")[0] for package in edge.groups())
        if not {user, used} & _OUTSIDE:
            arrows[user] |= {used} - {user}
            arrows[used] |= set()
    return arrows


def format_arrows(arrows):
    return "".join(f"{user} -> {', '.join(sorted(used))}\n" for user, used in sorted(arrows.items()))


def read_block(page):
    """Returns the text of the block of code behind the mark; None if there is none."""
    found = re.search(r"^<!-- arrows -->\n```\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return found.group(1) if found else None


def main():
    graph, page = (open(path, encoding="utf-8").read() for path in sys.argv[1:3])
    arrows = read_arrows(graph)
    if not arrows:
        sys.exit("arrows_test: the graph has no edges between folders")
    actual, written = format_arrows(arrows), read_block(page)
    if actual == written:
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
