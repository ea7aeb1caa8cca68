"""Sets of compiler flags that people use, each of which makes a further front end of the usual ones.

A set that clang does not take for a program, or that its native executable cannot be linked with, is left
out for that program. The native executable is made with the same flags, because some of them count when
bitcode becomes code.
"""

import random

from configurations import FRONT_ENDS, FrontEnd

_UNDEFINED = "-fsanitize=undefined -fsanitize-trap=undefined"

# Names and flags. What optimizes by itself replaces the usual front ends' flags.
_SETS = {
    # Hardening
    "stack-protector": "-fstack-protector-strong",
    "stack-protector-all": "-fstack-protector-all",
    "cf-protection": "-fcf-protection=full",
    "stack-clash": "-fstack-clash-protection",
    "fortify": "-D_FORTIFY_SOURCE=2",
    "assertions": "-D_GLIBCXX_ASSERTIONS",
    "pattern-variables": "-ftrivial-auto-var-init=pattern",
    "zero-variables": "-ftrivial-auto-var-init=zero",
    "zero-used-gpr": "-fzero-call-used-regs=used-gpr",
    "zero-used": "-fzero-call-used-regs=used",
    "zero-all": "-fzero-call-used-regs=all",
    "distribution": "-g -fstack-protector-strong -fstack-clash-protection -fcf-protection "
                    "-D_FORTIFY_SOURCE=2 -fexceptions -fasynchronous-unwind-tables",
    "retpoline": "-mretpoline",
    "load-hardening": "-mspeculative-load-hardening",
    "lvi": "-mlvi-cfi",
    "straight-line": "-mharden-sls=all",
    # Sanitizers without a runtime library
    "trap-undefined": _UNDEFINED,
    "trap-integers": "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero "
                     "-fsanitize-trap=all",
    "trap-bounds": "-fsanitize=bounds,null,alignment,object-size -fsanitize-trap=all",
    "trap-wrap": "-ftrapv",
    # Position and visibility
    "no-plt": "-fno-plt",
    "pie": "-fPIE",
    "pic": "-fPIC",
    "no-pic": "-fno-pic -no-pie",
    "medium": "-mcmodel=medium",
    "large": "-mcmodel=large",
    "sections": "-ffunction-sections -fdata-sections",
    "unique-sections": "-ffunction-sections -fno-unique-section-names",
    "no-interposition": "-fPIC -fno-semantic-interposition",
    "interposition": "-fPIC -fsemantic-interposition",
    "hidden": "-fvisibility=hidden -fvisibility-inlines-hidden",
    "common": "-fcommon",
    "no-direct-access": "-fno-direct-access-external-data",
    # Meaning
    "fast-math": "-ffast-math",
    "wrap": "-fwrapv",
    "no-strict-aliasing": "-fno-strict-aliasing",
    "no-delete-null": "-fno-delete-null-pointer-checks",
    "no-builtin": "-fno-builtin",
    "short-enums": "-fshort-enums",
    "unsigned-char": "-funsigned-char",
    "ms-extensions": "-fms-extensions",
    "gnu11": "-std=gnu11",
    "gnu++20": "-std=gnu++20",
    "contract": "-ffp-contract=fast",
    "rounding": "-frounding-math",
    "strict-floats": "-ffp-model=strict",
    # Frames, tables and debug information
    "frame-pointer": "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer",
    "instrumented": "-finstrument-functions",
    "dwarf-4": "-gdwarf-4",
    "dwarf-5": "-gdwarf-5 -gz",
    "exceptions": "-fexceptions",
    "unwind-tables": "-fasynchronous-unwind-tables",
    "no-unwind-tables": "-fno-asynchronous-unwind-tables -fno-unwind-tables",
    "no-rtti": "-fno-rtti",
    "no-red-zone": "-mno-red-zone",
    "stack-sizes": "-fstack-size-section",
    "realign": "-mstackrealign",
    # Of the whole program, and classes
    "thin-lto": "-flto=thin",
    "split-lto": "-flto=thin -fsplit-lto-unit",
    "whole-vtables": "-flto=thin -fsplit-lto-unit -fwhole-program-vtables -fvisibility=hidden",
    "full-lto": "-flto",
    "strict-vtables": "-O2 -fstrict-vtable-pointers",
    # Thread-local variables
    "initial-exec": "-ftls-model=initial-exec",
    "local-exec": "-ftls-model=local-exec",
    "global-dynamic": "-fPIC -ftls-model=global-dynamic",
    "emulated-tls": "-femulated-tls",
    # CPUs
    "v2": "-march=x86-64-v2",
    "v3": "-march=x86-64-v3",
    "v4": "-march=x86-64-v4",
    "v4-O3": "-O3 -march=x86-64-v4 -mprefer-vector-width=512",
    "branches-32": "-mbranches-within-32B-boundaries",
    # Levels
    "O1": "-O1",
    "Os": "-Os",
    "Oz": "-Oz",
    "O3": "-O3",
    "Og": "-Og -g",
    "no-inline": "-O2 -fno-inline",
    "no-vectors": "-O2 -fno-vectorize -fno-slp-vectorize",
}


def _is_level(flag):
    return flag.startswith("-O")


def _front_end(base, name, flags):
    optimizes = any(map(_is_level, flags))
    with_lto = any(flag.startswith("-flto") for flag in flags)
    native = flags + ["-fuse-ld=bfd"] * with_lto  # The linker for which there is a plug-in of this LLVM.
    # llvm-link takes no file of two modules.
    return FrontEnd("{}+{}".format("set" if optimizes else base.name, name),
                    ([] if optimizes else base.flags) + flags, "-O2" if optimizes else base.native_level,
                    base.link and not with_lto, native)


def all_front_ends():
    """Returns a front end for each set and each usual one."""
    made = {}
    for name, flags in _SETS.items():
        for base in FRONT_ENDS:
            front_end = _front_end(base, name, flags.split())
            made.setdefault(front_end.name, front_end)
    return list(made.values())


def sample(count, seed):
    """Returns front ends of `count` sets, each on one of the usual front ends; with a larger count these are
    among them."""
    generator = random.Random("flags " + seed)
    drawn = [(name, generator.choice(FRONT_ENDS)) for name in _SETS]
    generator.shuffle(drawn)
    return [_front_end(base, name, _SETS[name].split()) for name, base in drawn[:count]]
