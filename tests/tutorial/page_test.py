#!/usr/bin/env python3
"""What the tutorial's page shows is in its programs:  page_test.py README SOURCE...

Each block of C or C++ is a part of one of the sources, line for line; "..." stands for lines that are left out.
"""

import re
import sys


def main(page, sources):
    with open(page, encoding="utf-8") as file:
        blocks = re.findall(r"^```(?:cpp|c)\n(.*?)^```$", file.read(), re.DOTALL | re.MULTILINE)
    texts = []
    for source in sources:
        with open(source, encoding="utf-8") as file:
            texts.append(file.read())
    wrong = 0
    for block in blocks:
        parts = [re.escape(part) for part in re.split(r"^ *\.\.\.\n", block, flags=re.MULTILINE)]
        if not any(re.search(".*?".join(parts), text, re.DOTALL) for text in texts):
            print("not in the sources:\n" + block)
            wrong += 1
    print(f"{len(blocks)} blocks, {wrong} of them wrong")
    return 1 if wrong or len(blocks) < 10 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
