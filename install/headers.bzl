"""A rule that names the headers a library brings."""

def _own_headers_impl(ctx):
    headers = []
    for dep in ctx.attr.deps:
        for header in dep[CcInfo].compilation_context.headers.to_list():
            # Headers of this workspace, not copies of them under other names.
            if header.is_source and header.owner.workspace_name == ctx.label.workspace_name:
                headers.append(header)
    return [DefaultInfo(files = depset(headers), runfiles = ctx.runfiles(files = headers))]

own_headers = rule(
    implementation = _own_headers_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
)
