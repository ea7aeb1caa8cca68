#!/usr/bin/env python3
"""Doxygen's input filter: prints a header with its comments as Doxygen wants them.

The headers have plain comments, in front of a declaration or behind it, and examples in them that are
indented by three spaces. Everything else in a comment is text, whatever it may mean to Doxygen.
"""

import re
import sys

# Lines whose comments say nothing about a declaration.
_NO_DECLARATION = re.compile(r"\s*(#|}|namespace\b|extern\b|(class|struct|enum)\s+\w+;)")
# Behind the comment's mark and one space.
_INDENT_OF_CODE = "  "


def _escaped(text):
    text = re.sub(r"[\\@<>#&$%]", r"\\\g<0>", text)
    # Not a link to something of that name.
    return text.replace("::", r"\::")


def _documented(lines):
    """The text of a comment, given as lines without the comment's marks."""
    result, in_code = [], False
    for number, line in enumerate(lines):
        begins_block = number == 0 or not lines[number - 1].strip()
        if not in_code and begins_block and line.startswith(_INDENT_OF_CODE):
            in_code = True
            result.append(r"\code")
        elif in_code and line.strip() and not line.startswith(_INDENT_OF_CODE):
            in_code = False
            result.append(r"\endcode")
        result.append(line if in_code else _escaped(line))
    if in_code:
        result.append(r"\endcode")
    return result


def _printed(lines, behind=False):
    """A comment that Doxygen reads; it is about what stands in front of it if `behind`."""
    mark = "///<" if behind else "///"
    return [f"{mark} {line}".rstrip() for line in _documented(lines)]


def _comment(line):
    """Splits a line into what stands in front of a // or /* comment, and the comment."""
    found = re.match(r'((?:[^"/]|"(?:\\.|[^"])*"|/(?![/*]))*)(//|/\*)(.*)$', line)
    return (found[1], found[2], found[3]) if found else (line, None, None)


def filtered(text):
    lines, output, number, is_first = text.split("\n"), [], 0, True
    while number < len(lines):
        code, mark, comment = _comment(lines[number])
        if mark is None:
            output.append(lines[number])
            number += 1
            continue
        column, block = len(code), [comment]
        number += 1
        if mark == "/*":
            while "*/" not in block[-1]:
                block.append(re.sub(r"^\s*\*(?!/) ?", "", lines[number]))
                number += 1
            block[-1] = block[-1][:block[-1].index("*/")]
            block[0] = block[0][1:] if block[0].startswith(" ") else block[0]
        else:
            while number < len(lines):
                next_code, next_mark, next_comment = _comment(lines[number])
                if next_code.strip() or next_mark != "//" or len(next_code) != column:
                    break
                block.append(next_comment)
                number += 1
            block = [line[1:] if line.startswith(" ") else line for line in block]
        if code.strip():
            output.append(code)
            if not _NO_DECLARATION.match(code):
                output += _printed(block, behind=True)
        elif is_first:
            output += [r"/// \file"] + _printed(block)
        elif not block[0].startswith("----"):
            output += _printed(block)
        is_first = False
    return "\n".join(output)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        print(filtered(header.read()))
