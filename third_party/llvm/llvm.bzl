"""The LLVM that llvm-config-19 describes; of another version, if --repo_env=LLVM_MAJOR=22 names one that is
supported (--config=llvm22 does so, and chooses that version's clang). $LLVM_CONFIG names another llvm-config (in PATH,
or an absolute path)."""

# What tests are run with. (Sources for the versions between are in third_party/llvm/version, as far as LLVM's headers
# tell.)
_VERSIONS = ["19", "22"]

# Programs that make, compile and reduce the programs of the tests.
_TOOLS = ["clang", "clang++", "llvm-ar", "llvm-as", "llvm-dis", "llvm-reduce", "llvm-stress"]

def _setup(major):
    return "Run ./setup.sh" if major == _VERSIONS[0] else "Run ./setup.sh --llvm=" + major

def _query(ctx, llvm_config, what, major):
    result = ctx.execute([llvm_config, what])
    if result.return_code != 0:
        fail("{} {} failed: {}. {}".format(llvm_config, what, result.stderr.strip(), _setup(major)))
    return result.stdout.strip()

def _archives(ctx, llvm_config, lib_dir, major):
    """All static libraries but those for compiling for other machines, as options of the linker."""
    result = ctx.execute([llvm_config, "--link-static", "--libs", "native", "asmparser", "bitreader", "bitwriter", "interpreter", "irreader", "mcjit", "passes"])
    if result.return_code != 0:
        fail("{} --link-static failed: {}. {}".format(llvm_config, result.stderr.strip(), _setup(major)))
    archives = []
    for library in result.stdout.split(" "):
        path = "{}/lib{}.a".format(lib_dir, library.strip()[len("-l"):])
        if ctx.path(path).exists:
            archives.append(path)
    if not archives:
        fail("{} has no static libraries (Debian package llvm-{}-dev). {}".format(lib_dir, major, _setup(major)))
    return ", ".join(["\"{}\"".format(archive) for archive in archives])

def _finds_library(ctx, library):
    """Whether the dynamic linker finds this file, and no other one, under the name of its own."""
    result = ctx.execute(["sh", "-c", "PATH=$PATH:/sbin:/usr/sbin ldconfig -p"])
    file = ctx.path(library).realpath
    for line in result.stdout.split("\n"):
        name, _, found = line.partition(" => ")
        if name.strip().split(" ")[0] == file.basename:
            return ctx.path(found).realpath == file
    return False

def _llvm_repository(ctx):
    major = ctx.os.environ.get("LLVM_MAJOR") or _VERSIONS[0]
    if major not in _VERSIONS:
        fail("LLVM_MAJOR is {}; supported versions of LLVM are {}".format(major, ", ".join(_VERSIONS)))
    wanted = ctx.os.environ.get("LLVM_CONFIG") or "llvm-config-" + major
    llvm_config = ctx.path(wanted) if wanted.startswith("/") else ctx.which(wanted)
    if not llvm_config or not llvm_config.exists:
        fail("{} is missing (Debian package llvm-{}-dev). {}".format(wanted, major, _setup(major)))

    version = _query(ctx, llvm_config, "--version", major)
    if version.split(".")[0] != major:
        fail("{} is LLVM {}, not {}. Unset LLVM_CONFIG, and set LLVM_MAJOR to the version".format(wanted, version, major))
    include_dir = _query(ctx, llvm_config, "--includedir", major)
    lib_dir = _query(ctx, llvm_config, "--libdir", major)
    for needed in [include_dir + "/llvm/IR/Module.h", lib_dir + "/libLLVM-" + major + ".so"]:
        if not ctx.path(needed).exists:
            fail("{} is missing (Debian package llvm-{}-dev). {}".format(needed, major, _setup(major)))

    # Only these two of the include directory: it may be /usr/include itself.
    ctx.symlink(include_dir + "/llvm", "include/llvm")
    ctx.symlink(include_dir + "/llvm-c", "include/llvm-c")

    # Only tests need these, so that one is missing is said when a test is built.
    bin_dir = _query(ctx, llvm_config, "--bindir", major)
    for tool in _TOOLS:
        ctx.symlink(bin_dir + "/" + tool, "bin/" + tool)
    ctx.file("version.bzl", "LLVM_MAJOR = \"{}\"\n".format(major))
    ctx.template("BUILD", ctx.attr._build_file, {
        "%{archives}": _archives(ctx, llvm_config, lib_dir, major),
        "%{lib_dir}": lib_dir,
        "%{major}": major,
        "%{rpath}": "" if _finds_library(ctx, lib_dir + "/libLLVM-" + major + ".so") else "\"-Wl,-rpath,{}\",".format(lib_dir),
    })

llvm_repository = repository_rule(
    implementation = _llvm_repository,
    attrs = {"_build_file": attr.label(default = "//third_party/llvm:llvm.BUILD")},
    environ = ["LLVM_MAJOR", "LLVM_CONFIG"],
    local = True,
)
