#!/usr/bin/python3
"""Counts test cases in the results of `bazel test`, says what was skipped and why, and whether all is well.

usage: count_tests.py BAZEL_EXIT_STATUS NAME=BUILD_EVENT_JSON_FILE...

There is a file for each run; NAME stands in front of what is said about it. Only what these runs report is
counted: results that earlier ones left on disk are not looked at. A test
that Bazel calls failed counts as at least one failed case, whatever its own report says: it may have
crashed, timed out, leaked, or never been built. Where a run was interrupted, only what ran until then counts.
"""

import json
import sys
import urllib.parse
import xml.etree.ElementTree

PASSED = ("PASSED", "FLAKY")
# What a test is that has not run.
UNFINISHED = ("NOT BUILT", "NOT RUN", "NO_STATUS", "INCOMPLETE")


def read_events(path):
    """Returns {(label, run, shard): last attempt's result}, {label: overall status}, and whether the run was
    interrupted."""
    results, statuses, interrupted = {}, {}, False
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            kind, identity = next(iter(event["id"].items()))
            if kind == "targetConfigured":
                if event.get("configured", {}).get("targetKind", "").endswith("_test rule"):
                    statuses.setdefault(identity["label"], "NOT BUILT")
            elif kind == "testResult" and "testResult" in event:
                # Attempts of one run come in order.
                results[identity["label"], identity["run"], identity["shard"]] = event["testResult"]
            elif kind == "testSummary":
                # Without a summary: built, but Bazel gave up before it ran.
                summary = event.get("testSummary", {"overallStatus": "NOT RUN"})
                statuses[identity["label"]] = summary["overallStatus"]
            elif kind == "buildFinished":
                interrupted = event["finished"].get("exitCode", {}).get("name") == "INTERRUPTED"
    return results, statuses, interrupted


def count_cases(result):
    """Returns the names of passed, failed and skipped cases that a test's XML report lists, the last with
    reasons."""
    passed, failed, skipped = [], [], []
    for output in result.get("testActionOutput", []):
        if output["name"] != "test.xml":
            continue
        path = urllib.parse.unquote(urllib.parse.urlparse(output["uri"]).path)
        try:
            report = xml.etree.ElementTree.parse(path)
        except (OSError, xml.etree.ElementTree.ParseError):
            continue
        for case in report.iter("testcase"):
            name = case.get("classname", "") + "." + case.get("name", "")
            if case.find("failure") is not None or case.find("error") is not None:
                failed.append(name)
            elif case.get("status") == "notrun" or case.get("result") in ("skipped", "suppressed"):
                reason = case.find("skipped")
                message = reason.get("message", "") if reason is not None else "disabled"
                # GoogleTest puts the place in the source on a line before the reason.
                skipped.append((name, message.strip().rpartition("\n")[2]))
            else:
                passed.append(name)
    return passed, failed, skipped


def evaluate(path):
    """Returns how many cases passed, which were skipped, what failed, and how many tests an interrupt has kept
    from running, in the run of one file."""
    results, statuses, interrupted = read_events(path)
    passed, skipped, failures, unfinished = 0, [], [], 0

    labels_with_failures = set()
    for (label, _, _), result in sorted(results.items()):
        good, bad, ignored = count_cases(result)
        if result["status"] in PASSED and not (good or bad or ignored):
            good = [label]  # passed without a report
        passed += len(good)
        skipped += ["{} {}: {}".format(label, name, reason) for name, reason in ignored]
        failures += ["{} {}".format(label, name) for name in bad]
        if bad:
            labels_with_failures.add(label)

    for label, status in sorted(statuses.items()):
        if interrupted and status in UNFINISHED:
            unfinished += 1
        elif status not in PASSED and label not in labels_with_failures:
            failures.append("{} {}".format(label, status))
    return passed, skipped, failures, unfinished


def main():
    bazel_status = int(sys.argv[1])
    passed, skipped, failures = 0, [], []
    for run in sys.argv[2:]:
        name, _, path = run.partition("=")
        passed_here, skipped_here, failures_here, unfinished = evaluate(path)
        passed += passed_here
        skipped += ["{} {}".format(name, case) for case in skipped_here]
        failures += ["{} {}".format(name, case) for case in failures_here]
        if unfinished:
            print("{}: {} tests have not run, for lack of time".format(name, unfinished))
    if bazel_status != 0 and not failures:
        failures.append("setup or build failed (status {})".format(bazel_status))

    print()
    for case in skipped:
        print("SKIPPED", case)
    for failure in failures:
        print("FAILED", failure)
    if skipped:
        print("{} skipped".format(len(skipped)))
    print("{} passed, {} failed".format(passed, len(failures)))
    return 0 if passed and not failures else 1


if __name__ == "__main__":
    sys.exit(main())
