"""The version of firstcall, which everything that shows or uses one takes from here."""

# Three numbers (semver.org), also the SONAME of the C++ interface, which may change with each release.
VERSION = "0.1.0"

# The number in the SONAME of the C interface's libraries, and in the name of their symbols' version. It
# changes only if a program that was linked with an earlier library could not run with a later one.
C_INTERFACE = "0"
