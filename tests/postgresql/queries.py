"""Measures the queries of queries.sql."""

import collections
import json
import os
import re
import shutil
import statistics

from cluster import Cluster
from server import read_file, say

_HERE = os.path.dirname(os.path.realpath(__file__))
_OFF = {"jit": "off"}
_DEFAULT = {"jit": "on"}
_FORCED = {"jit": "on", "jit_above_cost": 0, "jit_inline_above_cost": -1, "jit_optimize_above_cost": -1}
# What docs/postgresql.md recommends.
_RECOMMENDED = {**_FORCED, "jit_above_cost": 10000}
# LLVM as it is by default, but for each query.
_FORCED_DEFAULT = {"jit": "on", "jit_above_cost": 0, "jit_inline_above_cost": 0, "jit_optimize_above_cost": 0}

_COLUMNS = ("Emission, all of the JIT, **whole query in time of a processor** (elapsed), in ms; without the first two: "
            "not compiled. Medians of {}.")
# How often the times of the JIT are measured; they vary less than those of the whole query.
_JIT_ROUNDS = 3


class Configuration:
    """How a session has queries compiled; `ours` is whether the code is ours."""

    def __init__(self, name, settings, ours=False, at_most=1000):
        self.name = name
        self.settings = settings
        self.ours = ours
        self.at_most = at_most  # The number of rounds.


CONFIGURATIONS = (
    Configuration("no JIT", _OFF),
    Configuration("LLVM by default", _DEFAULT),
    Configuration("ours, as recommended", _RECOMMENDED, ours=True),
    Configuration("LLVM -O3, forced", _FORCED_DEFAULT, at_most=1),  # A round of it takes a minute.
    Configuration("LLVM -O0, forced", _FORCED),
    Configuration("ours, forced", _FORCED, ours=True),
)


class Samples:
    """What EXPLAIN has said about a query in one configuration; times in ms."""

    def __init__(self):
        self.executions = []
        self.processors = []
        self.emissions = []
        self.jits = []
        self.functions = 0
        self.cost = 0

    def add_execution(self, plan, processor):
        self.executions.append(plan["Execution Time"])
        self.processors.append(processor)
        self.functions = plan.get("JIT", {}).get("Functions", 0)
        self.cost = plan["Plan"]["Total Cost"]

    def add_jit(self, plan):
        timing = plan.get("JIT", {}).get("Timing", {})
        self.emissions.append(timing.get("Emission", 0))
        self.jits.append(timing.get("Total", 0))

    @property
    def execution(self):
        return statistics.median(self.executions)

    @property
    def processor(self):
        return statistics.median(self.processors)

    @property
    def emission(self):
        return statistics.median(self.emissions) if self.emissions else 0

    @property
    def jit(self):
        return statistics.median(self.jits) if self.jits else 0


def read_queries():
    with open(os.path.join(_HERE, "queries.sql"), encoding="utf-8") as file:
        parts = re.split(r"^-- name: (.*)\n", file.read(), flags=re.MULTILINE)
    return [(name, text.strip().rstrip(";")) for name, text in zip(parts[1::2], parts[2::2])]


def _set(session, settings):
    for name, value in settings.items():
        session.run("SET {} = {}".format(name, value))


def _explain(session, query, timing="OFF"):
    return json.loads(session.run("EXPLAIN (ANALYZE, TIMING {}, FORMAT JSON) {}".format(timing, query)))[0]


class _Clusters:
    """Two servers of the same data: one as it is, and one with our library, or null."""

    def __init__(self, server, directory, preload, environment):
        plain = os.path.join(directory, "data", "plain")
        self.plain = Cluster(server, plain, 5433)
        settings = {"shared_preload_libraries": "llvmjit", "shared_buffers": "1GB", "work_mem": "256MB",
                    "max_parallel_workers_per_gather": 0, "autovacuum": "off"}
        stamp = os.path.join(directory, "data.complete")
        with open(os.path.join(_HERE, "data.sql"), encoding="utf-8") as file:
            wanted = file.read()
        if read_file(stamp) != wanted:
            say("generating the data")
            shutil.rmtree(plain, ignore_errors=True)
            self.plain.create()
            self.plain.start(settings)
            self.plain.run_file(os.path.join(_HERE, "data.sql"))
            self.plain.stop()
            with open(stamp, "w", encoding="utf-8") as file:
                file.write(wanted)
        self.ours = None
        if preload:
            ours = os.path.join(directory, "data", "ours")
            shutil.rmtree(ours, ignore_errors=True)
            self.ours = Cluster(server, ours, 5434)
            self.ours.copy(self.plain)
            self.ours.start(settings, preload, environment)
        self.plain.start(settings)

    def of(self, ours):
        return self.ours if ours else self.plain

    def stop(self):
        self.plain.stop()
        if self.ours:
            self.ours.stop()


def _check_results(sessions, queries):
    """Prints the queries whose rows are not those of the first configuration. Returns whether there is none."""
    good = True
    for name, query in queries:
        expected = None
        for configuration, session in sessions.items():
            rows = session.run(query)
            if expected is None:
                expected = rows
            elif rows != expected:
                good = False
                print("WRONG RESULT: {} by {}".format(name, configuration.name))
    return good


def _measure(sessions, queries, rounds):
    """Returns the samples by query and configuration. The configurations take turns at each query."""
    samples = collections.defaultdict(Samples)
    for index in range(rounds):
        say("round {} of {}".format(index + 1, rounds))
        for name, query in queries:
            for configuration, session in sessions.items():
                if index >= configuration.at_most:
                    continue
                sample = samples[name, configuration.name]
                before = session.processor_ms()
                plan = _explain(session, query)
                sample.add_execution(plan, session.processor_ms() - before)
                # Times of the JIT are there only with the times of all nodes, which make queries slower.
                if index < _JIT_ROUNDS and sample.functions > 0:
                    sample.add_jit(_explain(session, query, "ON"))
    return samples


def _print_table(title, queries, samples, names):
    print("\n{}\n".format(title))
    print("| query | cost | functions | " + " | ".join(names) + " |")
    print("|" + "---|" * (3 + len(names)))
    for query, _ in queries:
        cells = [query, "{:,.0f}".format(samples[query, names[0]].cost),
                 str(max(samples[query, name].functions for name in names))]
        for name in names:
            one = samples[query, name]
            times = "{:,.1f}, {:,.1f}, ".format(one.emission, one.jit) if one.functions else ""
            cells.append("{}**{:,.1f}** ({:,.1f})".format(times, one.processor, one.execution))
        print("| " + " | ".join(cells) + " |")
    print("| sum | | | " + " | ".join("{:,.1f}, {:,.1f}, **{:,.1f}** ({:,.1f})".format(*(
        sum(getattr(samples[query, name], field) for query, _ in queries)
        for field in ("emission", "jit", "processor", "execution"))) for name in names) + " |")


def _print_first_queries(clusters, configurations, rounds):
    """The first query of a connection; the server has preloaded the provider."""
    query = read_queries()[0][1]
    print("\nA connection with one query (1,000 rows); ms of a processor, and (elapsed) of the query:")
    for configuration in configurations:
        processors, times = [], []
        for _ in range(rounds):
            with clusters.of(configuration.ours).session() as session:
                _set(session, configuration.settings)
                times.append(_explain(session, query)["Execution Time"])
                processors.append(session.processor_ms())
        print("{:25} {:6.1f} ({:.1f})".format(configuration.name, statistics.median(processors),
                                              statistics.median(times)))


def run(server, directory, preload, environment, rounds):
    """Prints the tables. Returns whether all configurations give the same rows."""
    clusters = _Clusters(server, directory, preload, environment)
    queries = read_queries()
    configurations = [one for one in CONFIGURATIONS if clusters.of(one.ours)]
    sessions = {}
    for one in configurations:
        sessions[one] = clusters.of(one.ours).session()
        _set(sessions[one], one.settings)
    good = _check_results(sessions, queries)  # Which also brings the tables into memory.
    samples = _measure(sessions, queries, rounds)
    for session in sessions.values():
        session.close()
    names = [one.name for one in configurations]
    _print_table(_COLUMNS.format(rounds), queries, samples,
                 [name for name in names if "forced" not in name])
    _print_table("Each query is compiled, -O3 measured once. " + _COLUMNS.format(rounds), queries, samples,
                 [name for name in names if "forced" in name or name == "no JIT"])
    with open(os.path.join(directory, "queries.json"), "w", encoding="utf-8") as file:
        json.dump([[query, name, vars(one)] for (query, name), one in samples.items()], file)
    _print_first_queries(clusters, configurations, max(rounds, 9))
    clusters.stop()
    return good
