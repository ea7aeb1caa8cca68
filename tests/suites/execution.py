"""Runs a command in a directory of its own and says how that ended.

What counts is the exit status, what was printed, and the files that are left in the directory.
"""

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import time

_GIGABYTE = 1 << 30
# Of data, which is what a process allocates; reserved addresses and mapped files do not count. A module with
# a gibibyte of variables needs several while code that was compiled with them is linked.
_DATA_LIMIT = 8 * _GIGABYTE
_FILE_LIMIT = _GIGABYTE

# A machine at work gives a process this part of a processor at least.
_WAIT_FACTOR = 6

_STDOUT, _STDERR = "stdout", "stderr"


def limit_resources():
    """Sets limits for all processes that this one starts."""
    for kind, limit in [
        (resource.RLIMIT_DATA, _DATA_LIMIT),
        (resource.RLIMIT_FSIZE, _FILE_LIMIT),
        (resource.RLIMIT_CORE, 0),
    ]:
        resource.setrlimit(kind, (limit, limit))


class Outcome:
    """How a run ended: `status` (negative for a signal, None if it was killed or took too long), the hash
    of every file that it left, and the seconds it took. Where only the status counts, there are no files.
    """

    def __init__(self, status, files, seconds):
        self.status = status
        self.files = files
        self.seconds = seconds

    def difference(self, reference):
        """Returns in one line how this run differs from `reference`; an empty string if it does not."""
        if self.status is None:
            return "killed, or took too long: {:.0f} s; native {:.2f} s".format(
                self.seconds, reference.seconds)
        if self.status != reference.status:
            return "{}, not {}".format(describe_status(self.status), describe_status(reference.status))
        names = sorted(set(self.files) | set(reference.files))
        different = [name for name in names if self.files.get(name) != reference.files.get(name)]
        return "differs: " + ", ".join(different) if different else ""

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump([self.status, self.files, self.seconds], file)

    @staticmethod
    def load(path):
        with open(path, encoding="utf-8") as file:
            return Outcome(*json.load(file))


def describe_status(status):
    if status is None:
        return "took too long"
    if status < 0:
        return "signal {}".format(signal.Signals(-status).name)
    return "status {}".format(status)


def _kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _apply(edit, path):
    """Edits a file with the script of `sed -E`."""
    subprocess.run(["sed", "-E", "-i", edit, path], check=True)


def _hash_files(directory):
    hashes = {}
    for folder, folders, names in os.walk(directory):
        folders.sort()
        for name in names:
            path = os.path.join(folder, name)
            key = os.path.relpath(path, directory)
            if os.path.islink(path):
                hashes[key] = "-> " + os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    hashes[key] = hashlib.sha256(file.read()).hexdigest()
            else:
                hashes[key] = "special"
    return hashes


def execute(command, directory, time_limit, argv0=None, data=(), stdin="/dev/null", edit="",
            status_only=False):
    """Runs `command` in the new `directory`, into which `data` was copied; returns an Outcome.

    The limit is in seconds of a processor. `argv0` is what the process sees as its own name, `edit` a sed
    script for what it printed. When it returns, none of the processes that the command has started in its
    own group is left.
    """
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    for path in data:
        target = os.path.join(directory, os.path.basename(path))
        (shutil.copytree if os.path.isdir(path) else shutil.copy)(path, target)
    stdout, stderr = (os.path.join(directory, name) for name in (_STDOUT, _STDERR))
    begin = time.monotonic()
    with open(stdin, "rb") as source, open(stdout, "wb") as out, open(stderr, "wb") as err:
        process = subprocess.Popen([argv0 or command[0]] + command[1:], executable=command[0],
                                   cwd=directory, stdin=source, stdout=out, stderr=err,
                                   start_new_session=True)
        try:
            # At this limit the kernel kills it.
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (int(time_limit), int(time_limit)))
            status = process.wait(_WAIT_FACTOR * time_limit)
            if status == -signal.SIGKILL:
                status = None
        except subprocess.TimeoutExpired:
            status = None
        except ProcessLookupError:
            status = process.wait()  # It has ended already.
        _kill_group(process)
    seconds = time.monotonic() - begin
    if status_only:
        return Outcome(status, {}, seconds)
    if edit:
        _apply(edit, stdout)
        _apply(edit, stderr)
    return Outcome(status, _hash_files(directory), seconds)
