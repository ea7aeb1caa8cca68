"""Configuration of LLVM's lit for LLVM's own tests of lli, with firstcall in lli's place.

run_lli_tests.sh puts it beside the tests and gives two parameters: `tools`, a directory in which
`lli` is firstcall, and `output`, where the tests may write. The environment variable LLVM_MAJOR has
the version of LLVM. What the tests ask of the machine and of LLVM is answered for x86-64 Linux and
Debian's LLVM 19 and 22.
"""

import os

import lit.formats

LLVM_TOOLS = "/usr/lib/llvm-{}/bin".format(os.environ["LLVM_MAJOR"])


def cpu_flags():
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("flags"):
                return line.split()
    return []


config.name = "lli"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".ll", ".test"]
# JITLink and RuntimeDyld are tests of those libraries, through other tools.
config.excludes = ["Inputs", "JITLink", "RuntimeDyld"]
# LLVM 22 puts code of the large code model, which its lli has, into a section of another name.
if os.environ["LLVM_MAJOR"] != "19":
    config.excludes.append("debug-objects.ll")
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = lit_config.params["output"]
config.substitutions.append(("%lli", "lli"))
config.substitutions.append(("%exeext", ""))  # The ending of an executable's name.
config.environment["PATH"] = os.pathsep.join(
    [lit_config.params["tools"], LLVM_TOOLS, os.environ["PATH"]]
)
config.environment["FIRSTCALL_CACHE"] = "off"

# What the lit.local.cfg files beside the tests look at.
config.native_target = "X86"
config.targets = ["AArch64", "X86"]
config.host_arch = "x86_64"
config.host_triple = config.target_triple = "x86_64-pc-linux-gnu"
config.enable_ffi = True

# What the tests' REQUIRES, UNSUPPORTED and XFAIL lines name. firstcall's C++ library is a shared
# one.
config.available_features.update(
    {
        "cxx-shared-library",
        "native",
        "system-linux",
        "target-x86_64",
        "target=" + config.target_triple,
        "thread_support",
        "x86-registered-target",
        "x86_64-linux",
    }
)
if "fma" in cpu_flags():
    config.available_features.add("fma3")
