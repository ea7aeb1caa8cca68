"""Builds PostgreSQL's server and its LLVM provider out of Debian's source package."""

import os
import shutil
import subprocess
import sys

_ARCHIVE = ("postgresql-15", "postgresql-15_15.18.orig.tar.bz2",
            "11df0df97fe3ea4ba9a791faaf39cee1d2fe571e78885b5b55d8517d27c323b4")
_LLVM_VERSION = os.environ.get("LLVM_MAJOR", "19")
_HERE = os.path.dirname(os.path.realpath(__file__))
_FETCH = os.path.join(_HERE, "..", "..", "third_party", "debian", "fetch_source.sh")


def say(text):
    print("run_postgresql: " + text, file=sys.stderr, flush=True)


def read_file(path):
    """Its text; empty if there is none."""
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


class Server:
    """The installed server below `directory`, and the directory of its sources, where it was built."""

    def __init__(self, directory):
        self.sources = os.path.join(directory, "sources")
        self.prefix = os.path.join(directory, "server")
        self.regression = os.path.join(self.sources, "src", "test", "regress")

    def program(self, name):
        return os.path.join(self.prefix, "bin", name)


def build(directory):
    """Returns the server, which is built if `directory` has none yet. No line of its source is changed."""
    server = Server(directory)
    stamp = os.path.join(server.prefix, ".complete")
    wanted = " ".join(_ARCHIVE)
    if read_file(stamp) == wanted:
        return server
    subprocess.run([_FETCH, directory, *_ARCHIVE], check=True)
    for old in (server.sources, server.prefix):
        shutil.rmtree(old, ignore_errors=True)
    os.makedirs(server.sources)
    subprocess.run(["tar", "-xf", os.path.join(directory, _ARCHIVE[1]), "-C", server.sources,
                    "--strip-components=1"], check=True)
    say("building the server; that takes some minutes")
    log = os.path.join(directory, "build.log")
    with open(log, "wb") as output:
        for command in (
            ["./configure", "--prefix=" + server.prefix, "--with-llvm", "--without-readline", "--without-zlib",
             "LLVM_CONFIG=llvm-config-" + _LLVM_VERSION, "CLANG=clang-" + _LLVM_VERSION, "CFLAGS=-O2",
             "CXXFLAGS=-O2"],
            ["make", "-s", "-j2"],
            ["make", "-s", "install"],
            ["make", "-s", "-C", "src/test/regress"],
        ):
            done = subprocess.run(["nice"] + command, cwd=server.sources, stdin=subprocess.DEVNULL, stdout=output,
                                  stderr=output, check=False)
            if done.returncode != 0:
                sys.exit("run_postgresql: {} failed; see {}".format(" ".join(command[:2]), log))
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(wanted)
    return server
