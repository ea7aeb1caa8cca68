"""Tests that run a whole program both as a native executable and through the command.

The programs are compiled by the clang that belongs to @llvm. One action makes all forms of a program.
For each test there are two more: X_macho_test, for which LLVM writes objects as Mach-O, and X_served_test,
for which a compile server compiles. Of the latter a sample is run with everything else; the others are run
by name: bazel test $(bazel query 'attr(tags, served, //tests/programs/...)')
"""

load("//tests/testing:binary_test.bzl", "binary_test")

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

# The same where the object container is Mach-O.
_MACHO_TARGET = "@MACHO_TARGET@"

_MACHO_TRIPLE = "{}-unknown-linux-gnu-macho"

_WARNINGS = "-Wall -Wextra -Werror -Wno-unused-command-line-argument"

def _stem(source):
    return source.rpartition(":")[2].rpartition(".")[0]

def _clang(source, target = _TARGET):
    return "$(execpath @llvm//:bin/clang{}) {}".format("++" if source.endswith(".cc") else "", target)

def _for_architecture(commands, target, architecture):
    macho = _MACHO_TRIPLE.format(architecture)
    text = " && ".join(commands).replace(_TARGET, target)
    return text.replace(_MACHO_TARGET, "--target=" + macho)

def _path(file):
    return "$(execpath {})".format(file)

def _genrule(outs, srcs, commands, aarch64_commands = None, skip = {}):
    native.genrule(
        name = outs[0].replace(".", "_") + "_made",
        srcs = srcs,
        outs = outs,
        cmd = select({
            _AARCH64: _for_architecture(aarch64_commands or commands, "--target=aarch64-linux-gnu", "aarch64"),
            "//conditions:default": _for_architecture(commands, "", "x86_64"),
        }),
        # Otherwise building everything would make what no test needs.
        tags = ["manual"] + ["skipped_on_" + architecture for architecture in skip] if skip else [],
        tools = _TOOLS,
    )

def _choose(aarch64, others):
    return select({_AARCH64: aarch64, "//conditions:default": others})

# Those that run by a compile server whenever all tests are run: exceptions across frames, threads,
# thread-local variables, destructors, forks, weak symbols, two modules, hot loops.
_SERVED = [
    "compute/one_loop_test",
    "ir/constructors_test",
    "pair/exceptions_test",
    "pair/modules_test",
    "single/life_cycle_test",
    "single/process_copy_test",
    "single/thread_locals_test",
    "single/threads_test",
    "single/weak_symbols_test",
]

def _served_test(name):
    return name.rpartition("_")[0] + "_served_test"

def _served(name, executable, forms, options, data, size, tags, skip):
    """The same test, with a compile server. Servers take long to start in the emulator."""
    enough = {} if name == "pair/modules_test" else {"aarch64": "one program is enough in the emulator"}
    if name not in _SERVED:
        tags = tags + ["manual"]
    _compare(
        _served_test(name),
        executable,
        forms,
        options,
        data,
        size,
        tags + ["served"],
        dict(enough, **skip),
        is_served = True,
    )

def _compare(name, executable, forms, options, data, size, tags, skip, is_macho = False, is_served = False):
    args = ["--firstcall=$(rootpath //tools:firstcall)", "--native=$(rootpath {})".format(executable)]
    files = []
    for form, modules in forms.items():
        paths = ["$(rootpath {})".format(module) for module in modules]
        args.append("--program={}:{}".format(form, ",".join(paths)))
        files += modules
    args += options
    if is_served:
        args.append("--served")
    triples = [
        ["--option=--mtriple=" + _MACHO_TRIPLE.format(architecture)] if is_macho else []
        for architecture in ["aarch64", "x86_64"]
    ]
    binary_test(
        name = name,
        binary = ":program_test",
        size = size,
        args = _choose(*[
            ["'--skip={}:{}'".format(form, skip[architecture]) for form in forms] if architecture in skip else args + triple
            for architecture, triple in zip(["aarch64", "x86_64"], triples)
        ]),
        data = _choose(*[
            [] if architecture in skip else [executable, "//tools:firstcall"] + files + data
            for architecture in ["aarch64", "x86_64"]
        ]),
        tags = tags,
    )

def _macho(file):
    """The name of the form of `file` for which the object container is Mach-O."""
    stem, dot, kind = file.rpartition(".")
    return stem + ".macho" + dot + kind

def _is_macho(file):
    return ".macho." in file

# Those that run with Mach-O for AArch64, too. The others take long in the emulator.
_MACHO_ON_AARCH64 = [
    "ir/constructors_test",
    "ir/function_distances_test",
    "ir/ifuncs_test",
    "ir/sections_test",
    "pair/archive_test",
    "pair/exceptions_test",
    "pair/object_life_cycle_test",
    "single/exceptions_test",
    "single/static_guards_test",
    "single/vectors_test",
]

def _macho_skip(name, skip):
    enough = {} if name in _MACHO_ON_AARCH64 else {"aarch64": "some programs are enough in the emulator"}
    return dict(enough, **skip)

def _macho_test(name):
    return name.rpartition("_")[0] + "_macho_test"

def _compile(srcs, forms, linked, executable, copts, libraries, linkopts):
    """The commands that make all forms of a program, which are [(flags, outputs)]."""
    commands = []
    for i in range(len(srcs)):
        for flags, outputs in forms:
            commands.append("{clang} {flags} {warnings} {copts} -emit-llvm -c {source} -o {output}".format(
                clang = _clang(srcs[i], _MACHO_TARGET if _is_macho(outputs[i]) else _TARGET),
                copts = copts,
                flags = flags,
                output = _path(outputs[i]),
                source = _path(srcs[i]),
                warnings = _WARNINGS,
            ))

    # From the bitcode: nothing of the engine is in it, and the source is not compiled a third time.
    # It finds the libraries beside itself.
    commands.append("{} -w -O0 {} {} -pthread -lm -Wl,-rpath,'$$ORIGIN' -o {}".format(
        _clang(srcs[0]),
        " ".join([_path(file) for file in linked + libraries]),
        " ".join(linkopts),
        _path(executable),
    ))
    return commands

def program_test(
        name,
        srcs,
        hdrs = [],
        objects = [],
        archives = [],
        libraries = [],
        options = [],
        linkopts = [],
        copts = "",
        native_copts = "",
        aarch64_copts = None,
        arguments = [],
        before_passes = False,
        further_forms = {},
        size = "small",
        tags = [],
        skip = {},
        macho_skip = {},
        macho_objects = True,
        retargeted = False,
        real_thread_locals = False,
        promoted_by_thread = False):
    """Compares C or C++ sources run through the command, unoptimized and optimized, with native code.

    Args:
      name: of the test.
      srcs: the first one defines main; the others become extra modules.
      hdrs: what they include.
      objects: files of object_file, which become extra objects.
      archives: files of archive, which become extra archives.
      libraries: files of shared_library in this folder, which are loaded by --dlopen.
      options: further options of the command.
      linkopts: further options of the linker of the native executable.
      copts: further options of the compiler.
      native_copts: options that only the native executable needs. Its code is generated from bitcode.
      aarch64_copts: instead of both, for AArch64.
      arguments: of the program, in front of those that all get.
      before_passes: whether to run what the front end writes down, without any pass, as well.
      further_forms: name of a form of the program's bitcode to run as well -> options of the compiler.
      size: of the test.
      tags: of the test.
      skip: architecture (aarch64 or x86_64) that it is skipped on -> the reason.
      macho_skip: the same, for the test with Mach-O only.
      macho_objects: whether that test has the objects and archives as Mach-O, too.
      retargeted: whether that test runs the bitcode of the other tests, so that only the option of the
        command names Mach-O: clang does not support all of the language, or of this system's headers,
        where objects are Mach-O.
      real_thread_locals: whether to leave out the sets of options that emulate thread-local variables.
      promoted_by_thread: whether to add a set of options with which another thread optimizes as early as it can.
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
    for form, form_flags in further_forms.items():
        forms[form] = [_stem(source) + "." + form + ".bc" for source in srcs]
        flags.append((form_flags, forms[form]))
    if not retargeted:
        flags += [(options, [_macho(output) for output in outputs]) for options, outputs in flags]
    _genrule(
        [executable] + [output for _, outputs in flags for output in outputs],
        srcs + hdrs + objects + archives + libraries,
        _compile(srcs, flags, linked, executable, copts, libraries, linkopts + [native_copts]),
        _compile(
            srcs,
            flags,
            linked,
            executable,
            copts if aarch64_copts == None else aarch64_copts,
            libraries,
            linkopts,
        ),
        skip,
    )
    arguments = ["--argument=" + argument for argument in arguments]
    further = ["--option=--dlopen=$(rootpath {})".format(file) for file in libraries]
    further += ["--option=" + option for option in options] + arguments
    further += ["--real-thread-locals"] if real_thread_locals else []
    further += ["--promoted-by-thread"] if promoted_by_thread else []
    options = _extra(objects, archives) + further
    data = objects + archives + libraries
    _compare(name, executable, forms, options, data, size, tags, skip)
    _served(name, executable, forms, options, data, size, tags, skip)
    if macho_objects:
        objects = [_macho(file) for file in objects]
        archives = [_macho(file) for file in archives]
    options = _extra(objects, archives) + further
    data = objects + archives + libraries
    if not retargeted:
        forms = {form: [_macho(module) for module in modules] for form, modules in forms.items()}
    skip = _macho_skip(name, dict(skip, **macho_skip))
    _compare(_macho_test(name), executable, forms, options, data, size, tags, skip, is_macho = True)

def _extra(objects, archives):
    options = ["--extra-object=$(rootpath {})".format(file) for file in objects]
    options += ["--extra-archive=$(rootpath {})".format(file) for file in archives]
    return ["--option=" + option for option in options]

def ir_program_test(name, srcs, size = "small", tags = [], skip = {}, macho_skip = {}, native_level = "-O0"):
    """Compares a program in assembly text, run as text and as bitcode, with native code.

    Args:
      name: of the test.
      srcs: .ll files, the first one with main; the others become extra modules.
      size: of the test.
      tags: of the test.
      skip: as of program_test.
      macho_skip: as of program_test.
      native_level: of optimization, of the native executable.
    """
    executable = name + ".native"
    modules = [_stem(source) + ".bc" for source in srcs]
    commands = [
        "$(execpath @llvm//:bin/llvm-as) {} -o {}".format(_path(srcs[i]), _path(modules[i]))
        for i in range(len(srcs))
    ]
    # Matrices are lowered only by who asks for it.
    commands.append("{} -w {} -mllvm -enable-matrix {} -o {}".format(
        _clang(srcs[0]),
        native_level,
        " ".join([_path(module) for module in modules]),
        _path(executable),
    ))
    _genrule([executable] + modules, srcs, commands, skip = skip)
    forms = {"Text": srcs, "Bitcode": modules}
    _compare(name, executable, forms, [], [], size, tags, skip)
    _served(name, executable, forms, [], [], size, tags, skip)
    skip = _macho_skip(name, dict(skip, **macho_skip))
    _compare(_macho_test(name), executable, forms, [], [], size, tags, skip, is_macho = True)

def object_file(name, src, hdrs = [], macho = True, copts = ["-O1"]):
    """Makes the object file `name` of one source that may include `hdrs`.

    Args:
      name: of the file.
      src: the source.
      hdrs: what it includes.
      macho: whether to make its Mach-O form, too.
      copts: options of the compiler: level, debug information.
    """
    forms = [(_TARGET, name)] + ([(_MACHO_TARGET, _macho(name))] if macho else [])
    _genrule([file for _, file in forms], [src] + hdrs, [
        "{} {} {} -fPIC -c {} -o {}".format(
            _clang(src, target),
            _WARNINGS,
            " ".join(copts),
            _path(src),
            _path(file),
        )
        for target, file in forms
    ])

def shared_library(name, src, hdrs = []):
    """Makes the shared library `name` of one source that may include `hdrs`.

    Args:
      name: of the file.
      src: the source.
      hdrs: what it includes.
    """
    _genrule([name], [src] + hdrs, [
        "{} {} -O1 -fPIC -shared -Wl,-soname,{} {} -o {}".format(
            _clang(src),
            _WARNINGS,
            name.rpartition("/")[2],
            _path(src),
            _path(name),
        ),
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

def archive(name, objects, macho = True):
    """Makes the archive `name` of files of object_file.

    Args:
      name: of the file.
      objects: its members.
      macho: whether to make its Mach-O form, too, as BSD writes archives.
    """
    forms = [("rcs", name, objects)]
    if macho:
        forms.append(("--format=darwin -rcs", _macho(name), [_macho(file) for file in objects]))
    _genrule([file for _, file, _ in forms], [member for _, _, members in forms for member in members], [
        "$(execpath @llvm//:bin/llvm-ar) {} {} {}".format(
            how,
            _path(file),
            " ".join([_path(member) for member in members]),
        )
        for how, file, members in forms
    ])

def all_bitcode(name, visibility):
    """The bitcode of all programs above, but of those that the architecture skips.

    Args:
      name: of the group of files.
      visibility: of the group.
    """
    made = {"": [], "aarch64": [], "x86_64": []}
    for rule in native.existing_rules().values():
        skipped = [
            tag.replace("skipped_on_", "")
            for tag in rule.get("tags", [])
            if tag.startswith("skipped_on_")
        ]
        if rule["kind"] != "genrule" or len(skipped) > 1:
            continue
        only_on = {"aarch64": "x86_64", "x86_64": "aarch64"}[skipped[0]] if skipped else ""
        made[only_on] += [file for file in rule["outs"] if file.endswith(".bc")]
    native.filegroup(
        name = name,
        srcs = made[""] + _choose(made["aarch64"], made["x86_64"]),
        visibility = visibility,
    )
