"""The LLVM that llvm-config-19 describes, or the llvm-config that $LLVM_CONFIG names (in PATH, or an
absolute path)."""

_MAJOR = "19"

# Programs that make, compile and reduce the programs of the tests.
_TOOLS = ["clang", "clang++", "llvm-ar", "llvm-as", "llvm-dis", "llvm-reduce", "llvm-stress"]

def _query(ctx, llvm_config, what):
    result = ctx.execute([llvm_config, what])
    if result.return_code != 0:
        fail("{} {} failed: {}. Run ./setup.sh".format(llvm_config, what, result.stderr.strip()))
    return result.stdout.strip()

def _archives(ctx, llvm_config, lib_dir):
    """All static libraries but those for compiling for other machines, as options of the linker."""
    result = ctx.execute([llvm_config, "--link-static", "--libs", "native", "asmparser", "bitreader", "bitwriter", "interpreter", "irreader", "mcjit", "passes"])
    if result.return_code != 0:
        fail("{} --link-static failed: {}. Run ./setup.sh".format(llvm_config, result.stderr.strip()))
    archives = []
    for library in result.stdout.split(" "):
        path = "{}/lib{}.a".format(lib_dir, library.strip()[len("-l"):])
        if ctx.path(path).exists:
            archives.append(path)
    if not archives:
        fail("{} has no static libraries (Debian package llvm-{}-dev). Run ./setup.sh".format(lib_dir, _MAJOR))
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
    wanted = ctx.os.environ.get("LLVM_CONFIG") or "llvm-config-" + _MAJOR
    llvm_config = ctx.path(wanted) if wanted.startswith("/") else ctx.which(wanted)
    if not llvm_config or not llvm_config.exists:
        fail("{} is missing (Debian package llvm-{}-dev). Run ./setup.sh".format(wanted, _MAJOR))

    version = _query(ctx, llvm_config, "--version")
    if version.split(".")[0] != _MAJOR:
        fail("{} is LLVM {}, not {}. Unset LLVM_CONFIG and run ./setup.sh".format(wanted, version, _MAJOR))
    include_dir = _query(ctx, llvm_config, "--includedir")
    lib_dir = _query(ctx, llvm_config, "--libdir")
    for needed in [include_dir + "/llvm/IR/Module.h", lib_dir + "/libLLVM-" + _MAJOR + ".so"]:
        if not ctx.path(needed).exists:
            fail("{} is missing (Debian package llvm-{}-dev). Run ./setup.sh".format(needed, _MAJOR))

    # Only these two of the include directory: it may be /usr/include itself.
    ctx.symlink(include_dir + "/llvm", "include/llvm")
    ctx.symlink(include_dir + "/llvm-c", "include/llvm-c")

    # Only tests need these, so that one is missing is said when a test is built.
    bin_dir = _query(ctx, llvm_config, "--bindir")
    for tool in _TOOLS:
        ctx.symlink(bin_dir + "/" + tool, "bin/" + tool)
    ctx.template("BUILD", ctx.attr._build_file, {
        "%{archives}": _archives(ctx, llvm_config, lib_dir),
        "%{lib_dir}": lib_dir,
        "%{major}": _MAJOR,
        "%{rpath}": "" if _finds_library(ctx, lib_dir + "/libLLVM-" + _MAJOR + ".so") else "\"-Wl,-rpath,{}\",".format(lib_dir),
    })

llvm_repository = repository_rule(
    implementation = _llvm_repository,
    attrs = {"_build_file": attr.label(default = "//third_party/llvm:llvm.BUILD")},
    environ = ["LLVM_CONFIG"],
    local = True,
)
