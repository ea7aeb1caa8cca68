"""Tests that run a whole program both as a native executable and through the command.

The programs are compiled by the clang that belongs to @llvm. One action makes all forms of a program.
"""

_TOOLS = [
    "@llvm//:bin/clang",
    "@llvm//:bin/clang++",
    "@llvm//:bin/llvm-ar",
    "@llvm//:bin/llvm-as",
]

# As a user would compile for a JIT: without the attribute that forbids optimizing a function.
_UNOPTIMIZED = "-O0 -Xclang -disable-O0-optnone"

_WARNINGS = "-Wall -Wextra -Werror -Wno-unused-command-line-argument"

def _stem(source):
    return source.rpartition(".")[0]

def _clang(source):
    return "$(execpath @llvm//:bin/clang{})".format("++" if source.endswith(".cc") else "")

def _path(file):
    return "$(execpath {})".format(file)

def _genrule(outs, srcs, commands):
    native.genrule(
        name = outs[0].replace(".", "_") + "_made",
        srcs = srcs,
        outs = outs,
        cmd = " && ".join(commands),
        tools = _TOOLS,
        visibility = ["//visibility:private"],
    )

def _compare(name, executable, forms, options, data, size, tags):
    args = ["--firstcall=$(rootpath //tools:firstcall)", "--native=$(rootpath {})".format(executable)]
    files = []
    for form, modules in forms.items():
        paths = ["$(rootpath {})".format(module) for module in modules]
        args.append("--program={}:{}".format(form, ",".join(paths)))
        files += modules
    args += ["--option=" + option for option in options]
    native.cc_test(
        name = name,
        size = size,
        args = args,
        data = [executable, "//tools:firstcall"] + files + data,
        tags = tags,
        deps = [":program_test_main"],
    )

def program_test(name, srcs, hdrs = [], objects = [], archives = [], copts = "", size = "small", tags = []):
    """Compares C or C++ sources run through the command, unoptimized and optimized, with native code.

    Args:
      name: of the test.
      srcs: the first one defines main; the others become extra modules.
      hdrs: what they include.
      objects: files of object_file, which become extra objects.
      archives: files of archive, which become extra archives.
      copts: further options of the compiler.
      size: of the test.
      tags: of the test.
    """
    unoptimized = [_stem(source) + ".O0.bc" for source in srcs]
    optimized = [_stem(source) + ".O2.bc" for source in srcs]
    executable = name + ".native"
    compile = "{clang} {flags} {warnings} {copts} -emit-llvm -c {source} -o {output}"
    commands = []
    for i in range(len(srcs)):
        for flags, output in [(_UNOPTIMIZED, unoptimized[i]), ("-O2", optimized[i])]:
            commands.append(compile.format(
                clang = _clang(srcs[i]),
                copts = copts,
                flags = flags,
                output = _path(output),
                source = _path(srcs[i]),
                warnings = _WARNINGS,
            ))
    linked = [_path(file) for file in unoptimized + objects + archives]
    # From the bitcode: nothing of the engine is in it, and the source is not compiled a third time.
    commands.append("{} -w -O0 {} -pthread -lm -o {}".format(
        _clang(srcs[0]),
        " ".join(linked),
        _path(executable),
    ))
    _genrule([executable] + unoptimized + optimized, srcs + hdrs + objects + archives, commands)
    options = ["--extra-object=$(rootpath {})".format(file) for file in objects]
    options += ["--extra-archive=$(rootpath {})".format(file) for file in archives]
    forms = {"Unoptimized": unoptimized, "Optimized": optimized}
    _compare(name, executable, forms, options, objects + archives, size, tags)

def ir_program_test(name, srcs, size = "small", tags = []):
    """Compares a program in assembly text, run as text and as bitcode, with native code.

    Args:
      name: of the test.
      srcs: .ll files, the first one with main; the others become extra modules.
      size: of the test.
      tags: of the test.
    """
    executable = name + ".native"
    modules = [_stem(source) + ".bc" for source in srcs]
    commands = [
        "$(execpath @llvm//:bin/llvm-as) {} -o {}".format(_path(srcs[i]), _path(modules[i]))
        for i in range(len(srcs))
    ]
    commands.append("{} -w -O0 {} -o {}".format(
        _clang(srcs[0]),
        " ".join([_path(module) for module in modules]),
        _path(executable),
    ))
    _genrule([executable] + modules, srcs, commands)
    _compare(name, executable, {"Text": srcs, "Bitcode": modules}, [], [], size, tags)

def object_file(name, src, hdrs = []):
    """Makes the object file `name` of one source that may include `hdrs`."""
    _genrule([name], [src] + hdrs, [
        "{} {} -O1 -fPIC -c {} -o {}".format(_clang(src), _WARNINGS, _path(src), _path(name)),
    ])

def archive(name, objects):
    """Makes the archive `name` of files of object_file."""
    _genrule([name], objects, [
        "$(execpath @llvm//:bin/llvm-ar) rcs {} {}".format(
            _path(name),
            " ".join([_path(file) for file in objects]),
        ),
    ])
