"""PostgreSQL's regression tests, by several servers."""

import os
import re
import shutil
import subprocess
import time

from cluster import Cluster, as_unprivileged, give_away
from server import read_file, say

_FORCED = {"jit": "on", "jit_above_cost": 0, "jit_inline_above_cost": -1, "jit_optimize_above_cost": -1}
_PRELOADED = {"shared_preload_libraries": "llvmjit"}

# Name, settings, and whether the code is ours.
CONFIGURATIONS = (
    ("JIT off", {"jit": "off"}, False),
    ("forced: LLVM -O0", _FORCED, False),
    ("forced: ours", _FORCED, True),
    ("forced: LLVM -O0; provider preloaded", {**_FORCED, **_PRELOADED}, False),
    ("forced: ours; provider preloaded", {**_FORCED, **_PRELOADED}, True),
)


class Outcome:
    def __init__(self, seconds, processor, differences, summary, errors):
        self.seconds = seconds
        self.processor = processor  # Seconds of processors that the server has taken.
        self.differences = differences  # pg_regress's diff, without the names and times of files.
        self.summary = summary  # What pg_regress says at its end.
        self.errors = errors  # Of the server's log: crashes, and what is wrong with compiling.


def _run_one(server, directory, settings, preload, environment):
    shutil.rmtree(directory, ignore_errors=True)
    give_away(directory)
    cluster = Cluster(server, os.path.join(directory, "cluster"), 5432)
    cluster.create()
    cluster.start({"max_connections": 60, **settings}, preload, environment)
    output = os.path.join(directory, "output")
    give_away(output)
    started = time.monotonic()
    done = subprocess.run(
        [os.path.join(server.regression, "pg_regress"), "--inputdir=" + server.regression,
         "--bindir=" + os.path.join(server.prefix, "bin"), "--dlpath=" + server.regression, "--outputdir=" + output,
         "--no-locale", "--max-concurrent-tests=20", "--schedule=" + os.path.join(server.regression,
                                                                               "parallel_schedule"),
         "--host=" + cluster.directory, "--port={}".format(cluster.port), "--user=postgres"],
        cwd=output, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False, **as_unprivileged())
    seconds = time.monotonic() - started
    processor = cluster.processor_seconds()
    cluster.stop()
    differences = re.sub(r"^(diff|---|\+\+\+) .*\n", "", read_file(os.path.join(output, "regression.diffs")),
                         flags=re.MULTILINE)
    summary = [line.strip() for line in done.stdout.splitlines() if re.search(r"tests (passed|failed)", line)]
    errors = re.findall(r".*(?:terminated by signal|PANIC|failed to JIT|failed to look up symbol|JIT session error).*",
                        read_file(os.path.join(cluster.directory, "server.log")))
    return Outcome(seconds, processor, differences, " ".join(summary) or done.stdout[-500:], errors)


def run(server, directory, preload, environment, names):
    """Prints a line for each configuration that has one of `names` in its own, or for all if there are none. Returns
    whether all have the differences of the first, with JIT off, and no server crashed."""
    first, good = None, True
    for index, (name, settings, ours) in enumerate(CONFIGURATIONS):
        if index > 0 and names and not any(one in name for one in names):
            continue
        if ours and not preload:
            continue
        say("regression tests, " + name)
        outcome = _run_one(server, os.path.join(directory, "regression-{}".format(index)), settings,
                           preload if ours else None, environment if ours else None)
        if first is None:
            first = outcome
        same = outcome.differences == first.differences and not outcome.errors
        good = good and same
        print("{:40} {:6.1f} s ({:4.2f})  of processors {:6.1f} s ({:4.2f})  {}  {}".format(
            name, outcome.seconds, outcome.seconds / first.seconds, outcome.processor,
            outcome.processor / first.processor, outcome.summary,
            "the differences of JIT off" if same else "OTHER DIFFERENCES"), flush=True)
        for line in outcome.errors[:10]:
            print("    " + line)
    return good
