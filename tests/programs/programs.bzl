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

# Optimized code as the front end writes it down: what every pipeline must do is still to be done.
_BEFORE_PASSES = "-O1 -Xclang -disable-llvm-passes"

_AARCH64 = "//third_party/aarch64:is_target"

# Where a command names the architecture to compile for; clang's own if that is this machine's.
_TARGET = "@TARGET@"

_WARNINGS = "-Wall -Wextra -Werror -Wno-unused-command-line-argument"

def _stem(source):
    return source.rpartition(":")[2].rpartition(".")[0]

def _clang(source):
    return "$(execpath @llvm//:bin/clang{}) {}".format("++" if source.endswith(".cc") else "", _TARGET)

def _path(file):
    return "$(execpath {})".format(file)

def _genrule(outs, srcs, commands, aarch64_commands = None, skip = {}):
    native.genrule(
        name = outs[0].replace(".", "_") + "_made",
        srcs = srcs,
        outs = outs,
        cmd = select({
            _AARCH64: " && ".join(aarch64_commands or commands).replace(_TARGET, "--target=aarch64-linux-gnu"),
            "//conditions:default": " && ".join(commands).replace(_TARGET, ""),
        }),
        # Otherwise building everything would make what no test needs.
        tags = ["manual"] if skip else [],
        tools = _TOOLS,
        visibility = ["//visibility:private"],
    )

def _choose(aarch64, others):
    return select({_AARCH64: aarch64, "//conditions:default": others})

def _compare(name, executable, forms, options, data, size, tags, skip):
    args = ["--firstcall=$(rootpath //tools:firstcall)", "--native=$(rootpath {})".format(executable)]
    files = []
    for form, modules in forms.items():
        paths = ["$(rootpath {})".format(module) for module in modules]
        args.append("--program={}:{}".format(form, ",".join(paths)))
        files += modules
    args += options
    native.cc_test(
        name = name,
        size = size,
        args = _choose(*[
            ["'--skip={}:{}'".format(form, skip[architecture]) for form in forms] if architecture in skip else args
            for architecture in ["aarch64", "x86_64"]
        ]),
        data = _choose(*[
            [] if architecture in skip else [executable, "//tools:firstcall"] + files + data
            for architecture in ["aarch64", "x86_64"]
        ]),
        tags = tags,
        deps = [":program_test_main"],
    )

def _compile(srcs, forms, linked, executable, copts):
    """The commands that make all forms of a program, which are [(flags, outputs)]."""
    commands = []
    for i in range(len(srcs)):
        for flags, outputs in forms:
            commands.append("{clang} {flags} {warnings} {copts} -emit-llvm -c {source} -o {output}".format(
                clang = _clang(srcs[i]),
                copts = copts,
                flags = flags,
                output = _path(outputs[i]),
                source = _path(srcs[i]),
                warnings = _WARNINGS,
            ))

    # From the bitcode: nothing of the engine is in it, and the source is not compiled a third time.
    commands.append("{} -w -O0 {} -pthread -lm -o {}".format(
        _clang(srcs[0]),
        " ".join([_path(file) for file in linked]),
        _path(executable),
    ))
    return commands

def program_test(
        name,
        srcs,
        hdrs = [],
        objects = [],
        archives = [],
        copts = "",
        aarch64_copts = None,
        arguments = [],
        before_passes = False,
        size = "small",
        tags = [],
        skip = {}):
    """Compares C or C++ sources run through the command, unoptimized and optimized, with native code.

    Args:
      name: of the test.
      srcs: the first one defines main; the others become extra modules.
      hdrs: what they include.
      objects: files of object_file, which become extra objects.
      archives: files of archive, which become extra archives.
      copts: further options of the compiler.
      aarch64_copts: these instead, for AArch64.
      arguments: of the program, in front of those that all get.
      before_passes: whether to run what the front end writes down, without any pass, as well.
      size: of the test.
      tags: of the test.
      skip: architecture (aarch64 or x86_64) that it is skipped on -> the reason.
    """
    unoptimized = [_stem(source) + ".O0.bc" for source in srcs]
    optimized = [_stem(source) + ".O2.bc" for source in srcs]
    executable = name + ".native"
    linked = unoptimized + objects + archives
    forms = {"Unoptimized": unoptimized, "Optimized": optimized}
    flags = [(_UNOPTIMIZED, unoptimized), ("-O2", optimized)]
    if before_passes:
        forms["BeforePasses"] = [_stem(source) + ".O1.bc" for source in srcs]
        flags.append((_BEFORE_PASSES, forms["BeforePasses"]))
    _genrule(
        [executable] + [output for outputs in forms.values() for output in outputs],
        srcs + hdrs + objects + archives,
        _compile(srcs, flags, linked, executable, copts),
        _compile(srcs, flags, linked, executable, aarch64_copts or copts),
        skip,
    )
    options = ["--extra-object=$(rootpath {})".format(file) for file in objects]
    options += ["--extra-archive=$(rootpath {})".format(file) for file in archives]
    options = ["--option=" + option for option in options]
    options += ["--argument=" + argument for argument in arguments]
    _compare(name, executable, forms, options, objects + archives, size, tags, skip)

def ir_program_test(name, srcs, size = "small", tags = [], skip = {}):
    """Compares a program in assembly text, run as text and as bitcode, with native code.

    Args:
      name: of the test.
      srcs: .ll files, the first one with main; the others become extra modules.
      size: of the test.
      tags: of the test.
      skip: as of program_test.
    """
    executable = name + ".native"
    modules = [_stem(source) + ".bc" for source in srcs]
    commands = [
        "$(execpath @llvm//:bin/llvm-as) {} -o {}".format(_path(srcs[i]), _path(modules[i]))
        for i in range(len(srcs))
    ]
    # Matrices are lowered only by who asks for it.
    commands.append("{} -w -O0 -mllvm -enable-matrix {} -o {}".format(
        _clang(srcs[0]),
        " ".join([_path(module) for module in modules]),
        _path(executable),
    ))
    _genrule([executable] + modules, srcs, commands, skip = skip)
    _compare(name, executable, {"Text": srcs, "Bitcode": modules}, [], [], size, tags, skip)

def object_file(name, src, hdrs = []):
    """Makes the object file `name` of one source that may include `hdrs`."""
    _genrule([name], [src] + hdrs, [
        "{} {} -O1 -fPIC -c {} -o {}".format(_clang(src), _WARNINGS, _path(src), _path(name)),
    ])

def bitcode_file(name, src, hdrs, level, copts = []):
    """Makes the bitcode file `name` of one source, which names `hdrs` from the repository's root.

    Args:
      name: of the file.
      src: the source.
      hdrs: what it includes.
      level: of optimization, as "O0".
      copts: more of the compiler's options.
    """
    _genrule([name], [src] + hdrs, [
        "{} {} -{} {} -Xclang -disable-O0-optnone -I. -emit-llvm -c {} -o {}".format(
            _clang(src),
            _WARNINGS,
            level,
            " ".join(copts),
            _path(src),
            _path(name),
        ),
    ])

def archive(name, objects):
    """Makes the archive `name` of files of object_file."""
    _genrule([name], objects, [
        "$(execpath @llvm//:bin/llvm-ar) rcs {} {}".format(
            _path(name),
            " ".join([_path(file) for file in objects]),
        ),
    ])
