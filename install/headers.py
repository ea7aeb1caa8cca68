#!/usr/bin/env python3
"""Installs the C++ interface:  headers.py SOURCE_ROOT DESTINATION HEADER...

Copies each HEADER (a path below SOURCE_ROOT), and the headers of SOURCE_ROOT that these include, into
DESTINATION. PATH=INSTALLED is a header that gets another path there. In the copies the workspace's own
headers are included by the path that they have below the include directory: "engine/engine.h" becomes
"firstcall/engine/engine.h".
"""

import os
import re
import sys

_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def install(root, destination, headers):
    moved = dict(header.split("=") for header in headers if "=" in header)
    waiting, installed = [header.split("=")[0] for header in headers], set()
    while waiting:
        header = waiting.pop()
        if header in installed:
            continue
        installed.add(header)
        with open(os.path.join(root, header), encoding="utf-8") as file:
            text = file.read()
        is_own = lambda path: os.path.exists(os.path.join(root, path))
        waiting += [path for path in _INCLUDE.findall(text) if is_own(path)]
        text = _INCLUDE.sub(
            lambda found: f'#include "firstcall/{moved.get(found[1], found[1])}"'
            if is_own(found[1]) else found[0], text)
        target = os.path.join(destination, moved.get(header, header))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    install(sys.argv[1], sys.argv[2], sys.argv[3:])
