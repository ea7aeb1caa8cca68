"""What a debugger reads of a file that LLVM is linked into."""

# Wildcards of the symbols that remain: the project's own and main, for backtraces and profiles; and those with
# which GDB finds compiled code (code/debugger_registration.cc) and steps into it (stubs/reentry_*.S).
_KEPT = [
    "*firstcall*",
    "main",
    "__jit_debug_*",
    "_dl_fixup",
    "_dl_runtime_resolve",
]

def without_symbols_of_llvm(name, src):
    """Copies a program or a shared library, without the symbols of what is linked into it statically.

    LLVM has 80,000 of them, which GDB takes half a second to read at each start (docs/debugging.md). Debug
    information stays.

    Args:
      name: of the copy.
      src: the program, or the library.
    """
    strip = " ".join(["--strip-symbol='!{}'".format(kept) for kept in _KEPT])
    native.genrule(
        name = name + "_without_symbols",
        srcs = [src],
        outs = [name],
        cmd = select({
            "@llvm//:is_shared_only": "cp $< $@",
            "//third_party/aarch64:is_cross_target": "cp $< $@",
            "//conditions:default": "objcopy --wildcard {} --strip-symbol='*' $< $@".format(strip),
        }),
        executable = True,
        visibility = ["//visibility:public"],
    )
