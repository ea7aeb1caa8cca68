#!/usr/bin/python3
"""Runs PostgreSQL with the baseline code generator behind its LLVM provider, and without.

    bazel run -c opt //tests/postgresql:run_postgresql -- DIR

DIR gets everything: Debian's source package of PostgreSQL 15, the server and its LLVM provider, built with
LLVM 19 out of it, clusters of databases, and the results. No line of PostgreSQL is changed; the server
starts with LD_PRELOAD.

1. PostgreSQL's regression tests: with JIT off, and with JIT forced, by LLVM at level -O0 and by ours, with
   the provider loaded by each connection, and preloaded by the server. Forced runs must differ from the
   expected output in the same lines as the run with JIT off.
2. The queries of queries.sql over the data of data.sql: each configuration must give the same rows. The
   tables have medians of what EXPLAIN (ANALYZE) says.

The status is 0 if nothing differs and no server crashed.

Needs what setup.sh installs, make, perl, and apt-get. Root runs the server as nobody, who must be able to
reach DIR. DEBIAN_MIRROR names another mirror than deb.debian.org.
"""

import argparse
import os
import shutil
import sys

import queries
import regression
import server


def _parse_arguments():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("directory", metavar="DIR", help="where everything is kept")
    parser.add_argument("--preload", metavar="FILE",
                        help="libfirstcall_orc.so, an absolute path; empty: only LLVM")
    parser.add_argument("--environment", action="append", default=[], metavar="NAME=VALUE",
                        help="a variable for the servers that have our library; may be repeated")
    parser.add_argument("--only", choices=["build", "regression", "queries"], help="only one part")
    parser.add_argument("--configurations", default="", metavar="WORDS,...",
                        help="those runs of the regression tests that have one of the words in their names, and that "
                        "with JIT off")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="how often a query is measured (5)")
    return parser.parse_args()


def _copy_libraries(library, directory):
    """What LD_PRELOAD has: copies of the library and of the engine's beside it, which the server's user can read. The
    second is named so that connections need not load it."""
    copies = []
    os.makedirs(directory, exist_ok=True)
    for name in ("libfirstcall_orc.so", "libfirstcall_orc_engine.so"):
        copy = os.path.join(directory, name)
        if os.path.exists(copy):
            os.remove(copy)
        shutil.copyfile(os.path.join(os.path.dirname(library), name), copy)
        os.chmod(copy, 0o755)
        copies.append(copy)
    return ":".join(copies)


def main():
    arguments = _parse_arguments()
    library = os.path.realpath(arguments.preload) if arguments.preload else None
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))  # Bazel runs us elsewhere.
    directory = os.path.realpath(arguments.directory)
    os.makedirs(directory, exist_ok=True)
    preload = _copy_libraries(library, os.path.join(directory, "preload")) if library else None
    built = server.build(directory)
    environment = dict(one.split("=", 1) for one in arguments.environment)
    good = True
    if arguments.only in (None, "regression"):
        names = [name for name in arguments.configurations.split(",") if name]
        good = regression.run(built, directory, preload, environment, names)
    if arguments.only in (None, "queries"):
        good = queries.run(built, directory, preload, environment, arguments.rounds) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
