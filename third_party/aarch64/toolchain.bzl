"""The toolchain of Debian's g++-aarch64-linux-gnu."""

load(
    "@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl",
    "feature",
    "flag_group",
    "flag_set",
    "tool_path",
    "with_feature_set",
)
load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")

_PREFIX = "/usr/bin/aarch64-linux-gnu-"

# What Bazel calls a tool, where it is not called that itself.
_TOOLS = {
    "ar": "ar",
    "cpp": "cpp",
    "dwp": "dwp",
    "gcc": "gcc",
    "gcov": "gcov",
    "ld": "ld",
    "nm": "nm",
    "objcopy": "objcopy",
    "objdump": "objdump",
    "strip": "strip",
}

_COMPILE = [
    ACTION_NAMES.assemble,
    ACTION_NAMES.c_compile,
    ACTION_NAMES.cpp_compile,
    ACTION_NAMES.cpp_header_parsing,
    ACTION_NAMES.preprocess_assemble,
]

_LINK = [
    ACTION_NAMES.cpp_link_dynamic_library,
    ACTION_NAMES.cpp_link_executable,
    ACTION_NAMES.cpp_link_nodeps_dynamic_library,
]

def _flags(actions, flags, mode = None):
    return flag_set(
        actions = actions,
        flag_groups = [flag_group(flags = flags)],
        with_features = [with_feature_set(features = [mode])] if mode else [],
    )

def _config(ctx):
    modes = [feature(name = mode) for mode in ["dbg", "fastbuild", "opt"]]
    flags = feature(
        name = "default_flags",
        enabled = True,
        flag_sets = [
            # Bazel wants compilations that do not depend on where or when they are done.
            _flags(_COMPILE, [
                "-fstack-protector",
                "-fno-omit-frame-pointer",
                "-fno-canonical-system-headers",
                "-Wno-builtin-macro-redefined",
                "-D__DATE__=\"redacted\"",
                "-D__TIME__=\"redacted\"",
                "-D__TIMESTAMP__=\"redacted\"",
                # GCC tells of a change between its versions 9 and 10 that no code here meets in two.
                "-Wno-psabi",
            ]),
            _flags(_COMPILE, ["-g"], mode = "dbg"),
            _flags(_COMPILE, ["-O2", "-DNDEBUG", "-ffunction-sections", "-fdata-sections"], mode = "opt"),
            # The C driver links.
            _flags(_LINK, ["-lstdc++", "-lm", "-Wl,-z,relro,-z,now"]),
            _flags(_LINK, ["-Wl,--gc-sections"], mode = "opt"),
        ],
    )
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        abi_libc_version = "glibc",
        abi_version = "gcc",
        compiler = "gcc",
        # Where the compiler looks for headers: its own, those for cross compiling, and the multi-arch ones.
        cxx_builtin_include_directories = [
            "/usr/lib/gcc-cross/aarch64-linux-gnu",
            "/usr/aarch64-linux-gnu/include",
            "/usr/include",
        ],
        features = modes + [flags, feature(name = "supports_pic", enabled = True)],
        host_system_name = "local",
        target_cpu = "aarch64",
        target_libc = "glibc",
        target_system_name = "aarch64-linux-gnu",
        tool_paths = [
            tool_path(name = name, path = _PREFIX + tool)
            for name, tool in _TOOLS.items()
        ],
        toolchain_identifier = "aarch64-linux-gnu",
    )

aarch64_toolchain_config = rule(
    implementation = _config,
    attrs = {},
    provides = [CcToolchainConfigInfo],
)
