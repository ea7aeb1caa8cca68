"""Runs one test of a suite natively and in every configuration of firstcall."""

import os
import shlex
import shutil

from execution import Outcome, describe_status, execute
from program import CannotCompile
from results import DIFFERS, LEFT_OUT, PASSED, Result

# A native run may take so many seconds of a processor, and firstcall's so many, or so many times as long.
NATIVE_LIMIT = 20
_LIMIT, _LIMIT_FACTOR = 60, 30

# What a difference is looked at again, to know whether it is always there.
_MORE_RUNS = 2


def file_name(name):
    """A test's name as that of a directory."""
    return name.replace("/", "+")


def first_line(path):
    """Returns what a run first complains of, in parentheses; an empty string if it does not."""
    with open(path, encoding="utf-8", errors="replace") as file:
        line = file.readline().strip()
    return " ({})".format(line[:200]) if line else ""


class LeftOut(Exception):
    """The test says nothing about firstcall; the text is the reason."""


class Machine:
    """What runs the programs: `firstcall`, the compiler's flags for its architecture, and the emulator's
    command if that is another one than this machine's."""

    def __init__(self, firstcall, target_flags, emulator):
        self.firstcall = firstcall
        self.target_flags = target_flags
        self.emulator = emulator

    def native_command(self, executable, argv0):
        """The command, and its name as the program is to see it."""
        if self.emulator:
            return self.emulator + ["-0", argv0, executable], None
        return [executable], argv0


class Comparison:
    """A test, compiled by one front end. `directory` is the suite's."""

    def __init__(self, machine, suite, directory, test, front_end):
        self._machine = machine
        self._suite = suite
        self._test = test
        self._front_end = front_end
        self._program_directory = os.path.join(directory, "programs", file_name(test.program.name))
        self._directory = os.path.join(directory, "runs", file_name(test.name), front_end.name)

    def run(self, configurations):
        """Yields a Result for each of `configurations`."""
        try:
            modules, native = self._test.program.build(self._program_directory, self._front_end,
                                                       self._machine.target_flags)
            reference = self._reference(native)
        except (CannotCompile, LeftOut) as reason:
            text = ("does not compile: " if isinstance(reason, CannotCompile) else "") + str(reason)
            for configuration in configurations:
                yield self._result(configuration, LEFT_OUT, text, "")
            return
        for configuration in configurations:
            yield self._compare(configuration, modules, native, reference)

    def _result(self, configuration, verdict, text, command):
        return Result(self._suite, self._test.name, self._front_end.name, configuration.name, verdict, text,
                      command)

    def _execute(self, command, directory, time_limit, argv0=None):
        test = self._test
        return execute(command, directory, time_limit, argv0, test.data, test.stdin, test.edit,
                       test.status_only)

    def _run_native(self, executable, directory):
        command, argv0 = self._machine.native_command(executable, self._test.argv0)
        return self._execute(command + self._test.arguments, directory, NATIVE_LIMIT * (
            10 if self._machine.emulator else 1), argv0)

    def _reference(self, native):
        """Runs the native executable, or takes what an earlier run left. Raises LeftOut."""
        directory, saved = self._place("native"), self._place("native.json")
        if os.path.exists(saved) and os.path.getmtime(saved) > os.path.getmtime(native):
            reference = Outcome.load(saved)
        else:
            reference = self._run_native(native, directory)
            again = self._run_native(native, self._place("native-again"))
            difference = again.difference(reference)
            if reference.status is not None and difference:
                reference.files = {"": difference}  # Two runs are not alike.
            shutil.rmtree(self._place("native-again"))
            reference.save(saved)
        if reference.status is None:
            raise LeftOut("natively takes longer than {} s".format(NATIVE_LIMIT))
        if self._test.status is not None and reference.status != self._test.status:
            raise LeftOut("natively ends with " + describe_status(reference.status))
        if "" in reference.files:
            raise LeftOut("two native runs are not alike: " + reference.files[""])
        if self._test.expected and not self._is_expected(directory):
            raise LeftOut("natively not as the suite expects")
        return reference

    def _is_expected(self, directory):
        with open(self._test.expected, "rb") as wanted:
            with open(os.path.join(directory, self._test.result), "rb") as found:
                return wanted.read() == found.read()

    def _place(self, name):
        os.makedirs(self._directory, exist_ok=True)
        return os.path.join(self._directory, name)

    def _compare(self, configuration, modules, native, reference):
        command = self._command(configuration, modules)
        directory = self._place(configuration.name)
        fault = self._find_fault(configuration, command, directory, reference)
        if not fault:
            shutil.rmtree(directory, ignore_errors=True)
            return self._result(configuration, PASSED, "", "")
        other = self._run_native(native, self._place("native-again"))
        difference = other.difference(reference)
        if difference:
            return self._result(configuration, LEFT_OUT, "two native runs are not alike: " + difference, "")
        if configuration.optimizes:
            difference = self._optimized_difference(modules, reference)
            if difference:
                return self._result(configuration, LEFT_OUT, "optimized natively, " + difference, "")
        again = [self._find_fault(configuration, command, directory + "-again", reference)
                 for _ in range(_MORE_RUNS)]
        if not all(again):
            fault += " ({} of {} runs)".format(1 + sum(map(bool, again)), 1 + len(again))
        if configuration.cached:
            command = command[:1] + ["--object-cache-dir=" + directory + "-cache"] + command[1:]
        return self._result(configuration, DIFFERS, fault, self._shell_line(command, directory))

    def _optimized_difference(self, modules, reference):
        """Says how a native executable of the same bitcode differs that was optimized: then the program has
        no defined behaviour."""
        try:
            native = self._test.program.build_optimized(modules, self._front_end,
                                                         self._machine.target_flags)
        except CannotCompile as refused:
            return "does not compile: " + str(refused)
        return self._run_native(native, self._place("native-optimized")).difference(reference)

    def _find_fault(self, configuration, command, directory, reference):
        """Runs `command` as often as the configuration says; returns the first difference."""
        cache = directory + "-cache"
        shutil.rmtree(cache, ignore_errors=True)
        if configuration.cached:
            os.mkdir(cache, 0o700)
            command = command[:1] + ["--object-cache-dir=" + cache] + command[1:]
        limit = max(_LIMIT, _LIMIT_FACTOR * reference.seconds)
        fault = ""
        for number in range(configuration.runs):
            fault = self._execute(self._machine.emulator + command, directory, limit).difference(reference)
            if fault:
                fault += first_line(os.path.join(directory, "stderr"))
                fault += " (run {})".format(number + 1) if configuration.runs > 1 else ""
                break
        shutil.rmtree(cache, ignore_errors=True)
        return fault

    def _command(self, configuration, modules):
        program = self._test.program
        command = [self._machine.firstcall] + configuration.options + program.options
        command.append("--fake-argv0=" + self._test.argv0)
        command += ["--extra-archive=" + archive for archive in program.archives]
        command += ["--extra-module=" + module for module in modules[:-1]]
        return command + modules[-1:] + self._test.arguments

    def _shell_line(self, command, directory):
        line = "cd {} && {}".format(shlex.quote(directory), " ".join(map(shlex.quote, command)))
        if self._test.stdin != "/dev/null":
            line += " <" + shlex.quote(self._test.stdin)
        return line + "  # native: " + self._place("native")
