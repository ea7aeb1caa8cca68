"""Repositories for libraries that Debian installs under /usr.

Their headers stand in /usr/include, which every compiler searches by itself, and their libraries in
the linker's own search path. So a repository is only a BUILD file; nothing is linked or copied.
"""

load("//third_party/llvm:llvm.bzl", "llvm_repository")

def _system_repository(ctx):
    for header, package in ctx.attr.headers.items():
        if not ctx.path(header).exists:
            fail("{} is missing (Debian package {}). Run ./setup.sh".format(header, package))
    ctx.symlink(ctx.attr.build_file, "BUILD")

# local: looked at again whenever a Bazel server starts, so an installed or removed package is noticed.
_repository = repository_rule(
    implementation = _system_repository,
    attrs = {
        "build_file": attr.label(mandatory = True),
        "headers": attr.string_dict(doc = "header that must exist -> the Debian package it comes from"),
    },
    local = True,
)

def _csmith_repository(ctx):
    for path, package in {"/usr/bin/csmith": "csmith", "/usr/include/csmith/csmith.h": "libcsmith-dev"}.items():
        if not ctx.path(path).exists:
            fail("{} is missing (Debian package {}). Run ./setup.sh".format(path, package))
    ctx.symlink("/usr/bin/csmith", "bin/csmith")
    ctx.symlink("/usr/include/csmith", "include")
    ctx.symlink(ctx.attr._build_file, "BUILD")

# The generator of random C programs, which only tests need.
csmith_repository = repository_rule(
    implementation = _csmith_repository,
    attrs = {"_build_file": attr.label(default = "//third_party/csmith:csmith.BUILD")},
    local = True,
)

def _gcc_repository(ctx):
    source = "/usr/src/gcc-12/gcc-12.2.0-dfsg.tar.xz"
    if not ctx.path(source).exists:
        fail("{} is missing (Debian package gcc-12-source). Run ./setup.sh".format(source))
    ctx.symlink(source, "source.tar.xz")
    ctx.symlink(ctx.attr._build_file, "BUILD")

# GCC's source, for the tests that are in it.
gcc_repository = repository_rule(
    implementation = _gcc_repository,
    attrs = {"_build_file": attr.label(default = "//third_party/gcc:gcc.BUILD")},
    local = True,
)

def absl_repository(name):
    _repository(
        name = name,
        build_file = Label("//third_party/absl:absl.BUILD"),
        headers = {"/usr/include/absl/status/statusor.h": "libabsl-dev"},
    )

def googletest_repository(name):
    _repository(
        name = name,
        build_file = Label("//third_party/googletest:googletest.BUILD"),
        headers = {
            "/usr/include/gmock/gmock.h": "libgmock-dev",
            "/usr/include/gtest/gtest.h": "libgtest-dev",
        },
    )

def benchmark_repository(name):
    _repository(
        name = name,
        build_file = Label("//third_party/benchmark:benchmark.BUILD"),
        headers = {"/usr/include/benchmark/benchmark.h": "libbenchmark-dev"},
    )

def libffi_repository(name):
    _repository(
        name = name,
        build_file = Label("//third_party/libffi:libffi.BUILD"),
        # The header itself is in a folder of the architecture.
        headers = {"/usr/share/doc/libffi-dev/copyright": "libffi-dev"},
    )

def hiredis_repository(name):
    _repository(
        name = name,
        build_file = Label("//third_party/hiredis:hiredis.BUILD"),
        headers = {"/usr/include/hiredis/hiredis.h": "libhiredis-dev"},
    )

def firstcall_dependencies():
    """What firstcall needs in a workspace that uses it, except what that workspace has declared."""
    for name, repository in {
        "absl": absl_repository,
        "hiredis": hiredis_repository,
        "libffi": libffi_repository,
        "llvm": llvm_repository,
    }.items():
        if not native.existing_rule(name):
            repository(name = name)
