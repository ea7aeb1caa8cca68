"""What a debugger reads of the command's files."""

# Wildcards of the symbols that remain: the project's own functions and main, for backtraces and profiles; and
# those with which GDB finds compiled code (object/debugger_registration.cc) and steps into it (stubs/reentry_*.S).
_KEPT = [
    "_ZN9firstcall*",
    "_ZNK9firstcall*",
    "main",
    "__jit_debug_*",
    "_dl_fixup",
    "_dl_runtime_resolve",
]

def _with_few_symbols_impl(ctx):
    copy = ctx.actions.declare_file(ctx.label.name)
    command = "cp"
    if ctx.attr.strips:
        kept = " ".join(["--strip-symbol='!{}'".format(name) for name in _KEPT])
        command = "objcopy --wildcard {} --strip-symbol='*'".format(kept)
    ctx.actions.run_shell(
        inputs = [ctx.file.src],
        outputs = [copy],
        command = "{} '{}' '{}'".format(command, ctx.file.src.path, copy.path),
    )
    return DefaultInfo(
        executable = copy,
        runfiles = ctx.runfiles([copy]).merge(ctx.attr.src[DefaultInfo].default_runfiles),
    )

_with_few_symbols = rule(
    implementation = _with_few_symbols_impl,
    attrs = {
        "src": attr.label(allow_single_file = True, mandatory = True),
        "strips": attr.bool(),
    },
    executable = True,
)

def with_few_symbols(name, src):
    """Copies a program or a shared library, with the symbols of the project's functions only.

    LLVM has 80,000 symbols, and what the compiler makes of templates of libraries has 20,000 to 40,000. GDB takes
    0.2 to 0.7 s to read them at each start (docs/debugging.md). Debug information stays.

    Args:
      name: of the copy.
      src: the program, or the library.
    """
    _with_few_symbols(
        name = name,
        src = src,
        strips = select({
            "@llvm//:is_shared_only": False,
            "//third_party/aarch64:is_cross_target": False,
            "//conditions:default": True,
        }),
        visibility = ["//visibility:public"],
    )
