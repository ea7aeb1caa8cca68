"""A test that is a run of a binary, for tests which differ in data and arguments only: the binary is linked
once."""

def _binary_test(ctx):
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = executable, target_file = ctx.executable.binary, is_executable = True)
    runfiles = ctx.runfiles(files = ctx.files.data)
    for target in ctx.attr.data + [ctx.attr.binary]:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = executable, runfiles = runfiles)]

binary_test = rule(
    implementation = _binary_test,
    attrs = {
        "binary": attr.label(executable = True, cfg = "target", mandatory = True),
        "data": attr.label_list(allow_files = True),
    },
    test = True,
)
