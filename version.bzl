"""The version of firstcall, which everything that shows or uses one takes from here."""

load("@llvm//:version.bzl", "LLVM_MAJOR")

# Three numbers (semver.org).
VERSION = "0.1.0"

# The libraries for another LLVM than the one firstcall is first for have names of their own: modules and options pass
# through their interfaces.
_OF_LLVM = "" if LLVM_MAJOR == "19" else "_llvm" + LLVM_MAJOR

# The end of the C++ library's name. The C++ interface may change with each release.
CC_INTERFACE = VERSION + _OF_LLVM

# The number in the SONAME of the C interface's libraries, and in the name of their symbols' version. It
# changes only if a program that was linked with an earlier library could not run with a later one.
C_INTERFACE = "0" + _OF_LLVM
