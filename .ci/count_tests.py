#!/usr/bin/python3
"""Counts test cases in the results of one `bazel test`, and says whether all is well.

usage: count_tests.py BUILD_EVENT_JSON_FILE BAZEL_EXIT_STATUS

Only what this run reports is counted: results that earlier runs left on disk are not looked at. A test
that Bazel calls failed counts as at least one failed case, whatever its own report says: it may have
crashed, timed out, leaked, or never been built.
"""

import json
import sys
import urllib.parse
import xml.etree.ElementTree

PASSED = ("PASSED", "FLAKY")


def read_events(path):
    """Returns {(label, run, shard): last attempt's result} and {label: overall status}."""
    results, statuses = {}, {}
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
    return results, statuses


def count_cases(result):
    """Returns the names of passed, failed and skipped cases that a test's XML report lists."""
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
                skipped.append(name)
            else:
                passed.append(name)
    return passed, failed, skipped


def main():
    results, statuses = read_events(sys.argv[1])
    bazel_status = int(sys.argv[2])
    passed, skipped, failures = 0, 0, []

    labels_with_failures = set()
    for (label, _, _), result in sorted(results.items()):
        good, bad, ignored = count_cases(result)
        if result["status"] in PASSED and not (good or bad or ignored):
            good = [label]  # passed without a report
        passed += len(good)
        skipped += len(ignored)
        failures += ["{} {}".format(label, name) for name in bad]
        if bad:
            labels_with_failures.add(label)

    for label, status in sorted(statuses.items()):
        if status not in PASSED and label not in labels_with_failures:
            failures.append("{} {}".format(label, status))
    if bazel_status != 0 and not failures:
        failures.append("setup or build failed (status {})".format(bazel_status))

    print()
    for failure in failures:
        print("FAILED", failure)
    if skipped:
        print("{} skipped".format(skipped))
    print("{} passed, {} failed".format(passed, len(failures)))
    return 0 if passed and not failures else 1


if __name__ == "__main__":
    sys.exit(main())
