"""A header with a digest of the headers that two files which are linked apart must agree on."""

def _seam_digest_impl(ctx):
    headers = depset(transitive = [
        dep[CcInfo].compilation_context.headers
        for dep in ctx.attr.deps
    ])
    # Of their contents only: paths differ between configurations.
    listed = ctx.actions.args()
    listed.add_all(headers)
    listed.use_param_file("%s", use_always = True)
    listed.set_param_file_format("multiline")
    ctx.actions.run_shell(
        inputs = headers,
        outputs = [ctx.outputs.out],
        arguments = [ctx.outputs.out.path, listed],
        command = """
            set -eu -o pipefail
            digest=$(LC_ALL=C sort "$2" | tr '\\n' '\\0' | xargs -0 cat | sha256sum)
            printf '%s\\n' \\
              '// Of all headers of ours that both halves see.' \\
              '#ifndef FIRSTCALL_COMPILER_SEAM_DIGEST_H_' \\
              '#define FIRSTCALL_COMPILER_SEAM_DIGEST_H_' \\
              'namespace firstcall {' \\
              "inline constexpr char kSeamDigest[] = \\"${digest%% *}\\";" \\
              '}  // namespace firstcall' \\
              '#endif' > "$1"
        """,
        mnemonic = "SeamDigest",
    )

seam_digest = rule(
    implementation = _seam_digest_impl,
    attrs = {
        "deps": attr.label_list(
            providers = [CcInfo],
            doc = "Libraries whose headers are digested, and those of all libraries they depend on.",
        ),
        "out": attr.output(mandatory = True),
    },
)
