"""What every program is compiled with, and how firstcall is called: the two dimensions of the table."""

import collections

from program import LLVM

# `compiler` is the version of clang that makes the bitcode, with `flags`, and from the bitcode the native
# executable, with `native_level` and `native_flags`. With `link` the bitcode of a program's files is linked into
# one file.
FrontEnd = collections.namedtuple("FrontEnd", "name flags native_level link native_flags compiler",
                                  defaults=((), LLVM))

# -O0 without the attribute that forbids optimizing a function, as one compiles for a JIT.
_UNOPTIMIZED = ["-O0", "-Xclang", "-disable-O0-optnone"]

FRONT_ENDS = [
    FrontEnd("O0", _UNOPTIMIZED, "-O0", link=False),
    FrontEnd("O0-g", ["-O0", "-g"], "-O0", link=False),
    FrontEnd("O1-no-passes", ["-O1", "-Xclang", "-disable-llvm-passes"], "-O0", link=False),
    FrontEnd("O2", ["-O2"], "-O2", link=True),
]

# Bitcode of earlier versions of clang, where these are installed. No file is linked with another, which would
# write it anew in the form of our LLVM.
OTHER_COMPILERS = [FrontEnd("clang-{}-{}".format(version, name), flags, level, link=False,
                            compiler=version)
                   for version in ["13", "14", "15", "16"]
                   for name, flags, level in [
                       ("O0", _UNOPTIMIZED, "-O0"),
                       ("O1-no-passes", ["-O1", "-Xclang", "-disable-llvm-passes"], "-O0"),
                       ("O2", ["-O2"], "-O2"),
                   ]]

# A program is run `runs` times with an object cache of its own, or once without one. With `optimizes` the
# engine may optimize IR.
Configuration = collections.namedtuple("Configuration", "name options cached runs optimizes")


def _configuration(name, *options, cached=False, optimizes=True):
    return Configuration(name, list(options), cached, 2 if cached else 1, optimizes)


CONFIGURATIONS = [
    _configuration("default"),
    _configuration("no-baseline", "--baseline=off"),
    _configuration("mcjit", "--backend=mcjit"),
    _configuration("tier1", "--tier=1"),
    _configuration("promote-all", "--promotion-threshold=1", "--promotion-threads=0"),
    _configuration("O2", "-O2"),
    _configuration("compile-threads", "--compile-threads=2"),
    _configuration("eager", "--mode=eager", optimizes=False),
    _configuration("cached", cached=True),
]

# Run only if asked for: what the baseline code generator does not cover, such as inline assembly, fails
# there. It shows what that is.
ONLY_BY_NAME = [_configuration("strict", "--baseline=strict")]


def choose(available, names, only_by_name=()):
    """Returns those that `names` has, separated by commas, of both lists; all of `available` if it is empty."""
    if not names:
        return available
    by_name = {one.name: one for one in [*available, *only_by_name]}
    unknown = [name for name in names.split(",") if name not in by_name]
    if unknown:
        raise ValueError("there is no {}; there are {}".format(", ".join(unknown), ", ".join(by_name)))
    return [by_name[name] for name in names.split(",")]
