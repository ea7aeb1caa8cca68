"""A rule for shared libraries whose users are not built here."""

def _whole_libraries_impl(ctx):
    toolchain = ctx.attr._cc_toolchain[cc_common.CcToolchainInfo]
    features = cc_common.configure_features(ctx = ctx, cc_toolchain = toolchain)
    info = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    inputs = []
    for linked in info.linking_context.linker_inputs.to_list():
        libraries = [
            cc_common.create_library_to_link(
                actions = ctx.actions,
                feature_configuration = features,
                cc_toolchain = toolchain,
                static_library = library.static_library,
                pic_static_library = library.pic_static_library,
                alwayslink = True,
            )
            for library in linked.libraries
        ]
        inputs.append(cc_common.create_linker_input(
            owner = linked.owner,
            libraries = depset(libraries),
            user_link_flags = depset(linked.user_link_flags),
            additional_inputs = depset(linked.additional_inputs),
        ))
    return [CcInfo(
        compilation_context = info.compilation_context,
        linking_context = cc_common.create_linking_context(
            linker_inputs = depset(inputs, order = "topological"),
        ),
    )]

# The given libraries, of which the linker takes all that they consist of. From others it takes the parts that
# something refers to, and to a shared library nothing refers when it is linked.
whole_libraries = rule(
    implementation = _whole_libraries_impl,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
)
