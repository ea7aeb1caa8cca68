#include "tools/command_line.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/version.h"
#include "cache/disk_cache.h"
#include "cache/module_files.h"
#include "cache/open_shared_cache.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "third_party/llvm/version/version.h"
#include "tools/default_cache.h"
#include "tools/isolation.h"
#include "tools/shared_llvm.h"
#include "tools/variant.h"
#include "tools/warnings.h"

namespace firstcall {
namespace {

namespace cl = llvm::cl;

// The name of the program's own library in -jd; lli uses it, too.
constexpr char kProgramLibrary[] = "main";

cl::OptionCategory category("firstcall options");

cl::opt<std::string> input_file(cl::Positional, cl::init("-"), cl::desc("<bitcode or .ll>"),
                                cl::cat(category));
cl::list<std::string> input_arguments(cl::ConsumeAfter, cl::desc("<program arguments>..."),
                                      cl::cat(category));

cl::opt<Mode> mode("mode", cl::desc("When functions are compiled:"), cl::init(Mode::kLazy),
                   cl::values(clEnumValN(Mode::kLazy, "lazy",
                                         "each the first time it is called (default)"),
                              clEnumValN(Mode::kEager, "eager", "all of a module before it runs")),
                   cl::cat(category));
cl::opt<Tier> tier("tier",
                   cl::desc("What is done for a function (default: auto; 1 with -O2 and -O3):"),
                   cl::values(clEnumValN(Tier::kZero, "0", "generate code when it is called"),
                              clEnumValN(Tier::kOne, "1",
                                         "optimize its IR before, with that of its callees"),
                              clEnumValN(Tier::kAuto, "auto",
                                         "the first, and the second if it turns out to be hot")),
                   cl::init(Tier::kAuto), cl::cat(category));

cl::opt<Backend> backend(
    "backend", cl::desc("Who makes code:"),
    cl::values(clEnumValN(Backend::kAuto, "auto",
                          "the baseline code generator, LLVM, as --baseline says (default)"),
               clEnumValN(Backend::kBaseline, "baseline", "as --baseline=strict"),
               clEnumValN(Backend::kLlvm, "llvm", "as --baseline=off"),
               clEnumValN(Backend::kMcjit, "mcjit",
                          "MCJIT compiles and links each function when it is called")),
    cl::init(Backend::kAuto), cl::cat(category));
cl::opt<Baseline> baseline(
    "baseline",
    cl::desc("Which functions the baseline code generator compiles, if code is not optimized:"),
    cl::values(clEnumValN(Baseline::kOn, "on",
                          "those that it covers; LLVM compiles the others (default, unless options "
                          "of LLVM's code generator are given)"),
               clEnumValN(Baseline::kOff, "off", "none"),
               clEnumValN(Baseline::kStrict, "strict", "all; those that it does not cover fail")),
    cl::init(Baseline::kOn), cl::cat(category));
cl::opt<bool> baseline_few_registers(
    "baseline-few-registers", cl::Hidden,
    cl::desc("For tests: the baseline code generator uses three registers of each kind"),
    cl::cat(category));

cl::opt<OptNone> optnone(
    "optnone", cl::desc("Which functions with the attribute optnone may be optimized:"),
    cl::values(clEnumValN(OptNone::kAuto, "auto",
                          "those whose code has no debug information, of modules that clang -O0 "
                          "made"),
               clEnumValN(OptNone::kKeep, "keep", "none"),
               clEnumValN(OptNone::kIgnore, "ignore", "all")),
    cl::init(OptNone::kAuto), cl::cat(category));

cl::opt<DebugInfo> debug_info(
    "debug-info", cl::desc("Whether code has the debug information that modules have:"),
    cl::values(
        clEnumValN(DebugInfo::kAuto, "auto", "if a debugger is there at the start (default)"),
        clEnumValN(DebugInfo::kAlways, "always", "yes, also for debuggers that attach later"),
        clEnumValN(DebugInfo::kNever, "never", "no")),
    cl::init(DebugInfo::kAuto), cl::cat(category));

cl::opt<unsigned> promotion_threshold(
    "promotion-threshold",
    cl::desc("With --tier=auto: calls and iterations after which a function is hot "
             "(default: 100000)"),
    cl::init(PromotionOptions().threshold), cl::cat(category));
cl::opt<unsigned> promotion_threads(
    "promotion-threads",
    cl::desc("With --tier=auto: threads that optimize (default: 1); "
             "with 0 the thread that finds a function hot waits for it"),
    cl::init(PromotionOptions().threads), cl::cat(category));

cl::opt<bool> no_branch_counts(
    "no-branch-counts",
    cl::desc("With --tier=auto: do not count where the branches of hot functions go, and what "
             "they call through pointers, before these are optimized"),
    cl::cat(category));

cl::opt<char> optimization_level(
    "O", cl::Prefix, cl::init('0'),
    cl::desc("Level of code generation: -O0 (default), -O1, -O2 or -O3"), cl::cat(category));
cl::opt<std::string> target_triple(
    "mtriple",
    cl::desc("Override the target triple; its end may name the object "
             "container: -elf or -macho"),
    cl::cat(category));
cl::opt<std::string> entry_function("entry-function", cl::init("main"), cl::value_desc("function"),
                                    cl::desc("The function to run (default: main)"),
                                    cl::cat(category));
cl::opt<std::string> fake_argv0("fake-argv0", cl::value_desc("executable"),
                                cl::desc("What the program gets as argv[0]"), cl::cat(category));
cl::list<std::string> extra_modules("extra-module", cl::value_desc("file"),
                                    cl::desc("A further module of the program"), cl::cat(category));
cl::list<std::string> extra_objects("extra-object", cl::value_desc("file"),
                                    cl::desc("An object file of the program"), cl::cat(category));
cl::list<std::string> extra_archives("extra-archive", cl::value_desc("file"),
                                     cl::desc("An archive of objects for the program"),
                                     cl::cat(category));
cl::list<std::string> libraries("dlopen", cl::value_desc("library"),
                                cl::desc("A shared library of the program, as if it were linked "
                                         "with the library"),
                                cl::cat(category));
cl::opt<bool> no_process_symbols("no-process-syms",
                                 cl::desc("Do not look for the program's symbols in this process, "
                                          "except in the libraries of --dlopen"),
                                 cl::cat(category));
cl::list<std::string> libraries_of_modules(
    "jd", cl::value_desc("name"),
    cl::desc("The library that the --extra-module and --extra-archive options behind it belong to"),
    cl::cat(category));
cl::list<std::string> thread_entries("thread-entry", cl::value_desc("function"),
                                     cl::desc("A function to run on a thread of its own"),
                                     cl::cat(category));
cl::opt<bool> force_interpreter("force-interpreter",
                                cl::desc("Interpret the program with LLVM's interpreter"),
                                cl::cat(category));
cl::opt<Dump> dump(
    "orc-lazy-debug", cl::desc("Print what is compiled:"), cl::init(Dump::kNothing),
    cl::values(clEnumValN(Dump::kNothing, "no-dump", "Nothing (default)"),
               clEnumValN(Dump::kFunctions, "funcs-to-stdout",
                          "The functions' names on standard output"),
               clEnumValN(Dump::kModules, "mods-to-stdout", "The modules on standard output"),
               clEnumValN(Dump::kModuleFiles, "mods-to-disk",
                          "The modules into files in the working directory"),
               clEnumValN(Dump::kDebugDescriptor, "jit-debug-descriptor",
                          "The addresses of the debugger's entries, on standard error"),
               clEnumValN(Dump::kDebugObjects, "jit-debug-objects",
                          "The objects a debugger sees, on standard output")),
    cl::cat(category));
cl::opt<unsigned> compile_threads(
    "compile-threads", cl::init(0),
    cl::desc("Compile on so many threads (default: 0, on the thread that calls a function)"),
    cl::cat(category));
cl::opt<unsigned> speculation_budget(
    "speculation-budget", cl::init(0), cl::value_desc("milliseconds"),
    cl::desc("With --compile-threads: how long these may compile what is likely to be called "
             "(default: 0)"),
    cl::cat(category));
cl::opt<bool> prepare_all(
    "prepare-all",
    cl::desc("Compile all functions before the program's constructors and main run, and nothing "
             "later (implies --tier=0, or 1 with -O2 and -O3); one that cannot be compiled fails "
             "when it is called"),
    cl::cat(category));
cl::opt<bool> hold_signals(
    "hold-signals",
    cl::desc("Hold back all signals while a first call compiles, not only those for which the "
             "program's own code installs a handler (default with --dlopen)"),
    cl::cat(category));
cl::opt<bool> no_lazy_compilation("disable-lazy-compilation", cl::desc("The same as --mode=eager"),
                                  cl::cat(category));
cl::opt<bool> per_module_lazy("per-module-lazy", cl::desc("The same as --mode=eager"),
                              cl::cat(category));

cl::opt<bool> enable_cache(
    "enable-cache-manager",
    cl::desc("Keep the object of each module in a file and use it in the next run; implies "
             "--mode=eager"),
    cl::cat(category));
cl::opt<std::string> cache_directory(
    "object-cache-dir", cl::value_desc("directory"),
    cl::desc("Keep what is compiled in this directory and use it in the next run (default: "
             "$FIRSTCALL_CACHE, or firstcall in $XDG_CACHE_HOME or ~/.cache); with "
             "--enable-cache-manager where that keeps objects (default: next to each module)"),
    cl::cat(category));
cl::opt<bool> no_cache("no-object-cache",
                       cl::desc("Keep nothing, and use nothing that is kept; so does "
                                "FIRSTCALL_CACHE=off"),
                       cl::cat(category));
cl::opt<std::string> cache_policy(
    "object-cache-policy", cl::value_desc("policy"),
    cl::desc("When objects are removed from the cache, as the LTO of LLVM's linkers has it: "
             "'prune_after=168h:cache_size=75%:cache_size_bytes=1g'"),
    cl::cat(category));
cl::opt<std::string> shared_cache(
    "object-cache", cl::value_desc("url"),
    cl::desc("A server that machines share as a cache, behind that of --object-cache-dir: "
             "https://host[:port]/prefix, or redis[s]://[[user:]password@]host[:port]/db"),
    cl::cat(category));
cl::list<std::string> shared_cache_settings(
    "object-cache-setting", cl::value_desc("name=value"),
    cl::desc(
        "With --object-cache: one of read-only=yes, most-entry-bytes=N, most-pack-bytes=N; for "
        "https and rediss ca-file=FILE, certificate-file=FILE, certificate-key-file=FILE; for http "
        "and https token-file=FILE, token-variable=NAME, netrc-file=FILE, plain-http=yes; for "
        "redis and rediss password-file=FILE, password-variable=NAME"),
    cl::cat(category));
cl::opt<std::string> shared_cache_key_file(
    "object-cache-key-file", cl::value_desc("file"),
    cl::desc("With --object-cache: a secret that all who share the server have; entries made "
             "without it are not used"),
    cl::cat(category));
cl::opt<unsigned> shared_cache_budget(
    "object-cache-budget", cl::init(1000), cl::value_desc("milliseconds"),
    cl::desc("With --object-cache: how long this process may wait for the server, all in all "
             "(default: 1000)"),
    cl::cat(category));
cl::list<std::string> cache_key(
    "object-cache-key", cl::value_desc("name=value"),
    cl::desc("What else objects in the cache depend on, such as the front end's options"),
    cl::cat(category));
cl::opt<std::string> functions_file(
    "functions", cl::value_desc("file"),
    cl::desc("What precompile compiles, a name in each line (default: every function)"),
    cl::cat(category));

cl::opt<bool> precompile_optimized(
    "optimized",
    cl::desc("Precompile makes optimized bodies, too: with them the functions begin optimized"),
    cl::cat(category));
cl::opt<std::string> hot_functions_file(
    "write-hot-functions", cl::ValueOptional, cl::value_desc("file"),
    cl::desc("With --tier=auto: write the names of the functions that were hot, at exit, as "
             "--functions reads them"),
    cl::cat(category));

cl::opt<bool> print_compilation(
    "print-compilation",
    cl::desc("Print a line for each function that gets code, as it comes, on standard error"),
    cl::cat(category));
cl::opt<std::string> trace_file(
    "trace", cl::ValueOptional, cl::value_desc("file"),
    cl::desc("Write what happens (calls that wait, compiles, promotions, memory) in the trace "
             "event format, for Perfetto or chrome://tracing; %p is the process id"),
    cl::cat(category));
cl::opt<std::string> report_file(
    "report", cl::ValueOptional, cl::value_desc("file.html"),
    cl::desc("Write a page that shows where the start went, what was compiled when and why; %p is "
             "the process id"),
    cl::cat(category));
cl::opt<PerfOutput> perf(
    "perf", cl::desc("Tell Linux's perf the names of compiled functions:"),
    cl::init(PerfOutput::kNone),
    cl::values(clEnumValN(PerfOutput::kMap, "map", "in /tmp/perf-PID.map"),
               clEnumValN(PerfOutput::kJitdump, "jitdump",
                          "in jit-PID.dump, with the code, for 'perf inject --jit'")),
    cl::cat(category));

cl::opt<bool> isolate("isolate",
                      cl::desc("Run the program in a process of its own, which this one watches"),
                      cl::cat(category));
cl::opt<double> isolation_timeout(
    "isolate-timeout", cl::value_desc("seconds"),
    cl::desc("End the isolated program after this time; implies --isolate"), cl::cat(category));
cl::opt<unsigned> isolation_memory(
    "isolate-memory", cl::value_desc("MiB"),
    cl::desc("Give the isolated program no more private memory than this; implies --isolate"),
    cl::cat(category));
// lli's spelling. The process is a copy of this one, so no other executable is needed.
cl::opt<bool> remote("remote-mcjit",
                     cl::desc("The same as --isolate; as in lli, with --mcjit-remote-process"),
                     cl::cat(category));
cl::opt<std::string> remote_process("mcjit-remote-process", cl::value_desc("executable"),
                                    cl::desc("lli's program for --remote-mcjit; it is not used"),
                                    cl::cat(category));

cl::opt<std::string> compile_server(
    "compile-server", cl::value_desc("path"),
    cl::desc("Have functions compiled by the server (firstcall serve) that listens at this socket"),
    cl::cat(category));
cl::opt<double> compile_server_budget(
    "compile-server-budget", cl::value_desc("seconds"), cl::init(30),
    cl::desc("How long one answer of the compile server may take (default: 30)"),
    cl::cat(category));
cl::opt<bool> compile_without_server(
    "compile-server-fallback",
    cl::desc("Compile in this process if the compile server cannot be used"), cl::cat(category));

// lli's options that choose among its engines or tune them. There is one engine here, so they are
// accepted and have no effect.
enum class Accepted { kYes };
cl::opt<Accepted> jit_kind("jit-kind", cl::desc("One of lli's engines; runs on this one:"),
                           cl::init(Accepted::kYes),
                           cl::values(clEnumValN(Accepted::kYes, "mcjit", ""),
                                      clEnumValN(Accepted::kYes, "orc", ""),
                                      clEnumValN(Accepted::kYes, "orc-lazy", "")),
                           cl::cat(category));
cl::opt<Accepted> jit_linker("jit-linker", cl::desc("One of lli's linkers; has no effect:"),
                             cl::init(Accepted::kYes),
                             cl::values(clEnumValN(Accepted::kYes, "default", ""),
                                        clEnumValN(Accepted::kYes, "rtdyld", ""),
                                        clEnumValN(Accepted::kYes, "jitlink", "")),
                             cl::Hidden, cl::cat(category));
cl::opt<Accepted> platform("lljit-platform", cl::desc("One of ORC's platforms; there is no ORC:"),
                           cl::init(Accepted::kYes),
                           cl::values(clEnumValN(Accepted::kYes, "Auto", ""),
                                      clEnumValN(Accepted::kYes, "ExecutorNative", ""),
                                      clEnumValN(Accepted::kYes, "GenericIR", ""),
                                      clEnumValN(Accepted::kYes, "Inactive", "")),
                           cl::Hidden, cl::cat(category));
cl::opt<bool> disable_core_files("disable-core-files", cl::desc("Leave no core file"), cl::Hidden,
                                 cl::cat(category));

// An option of lli's for a feature that does not exist here. It is refused rather than ignored.
cl::opt<std::string> orc_runtime("orc-runtime", cl::Hidden, cl::cat(category));

// Set after the command line has been parsed.
std::vector<std::string> llvm_arguments;

[[noreturn]] void Refuse(const llvm::Twine& message) {
  llvm::errs() << "firstcall: " << message << "\n";
  std::exit(1);
}

void RefuseWhatThereIsNot() {
  for (const cl::Option* option : std::initializer_list<const cl::Option*>{
           &shared_cache_key_file, &shared_cache_budget, std::addressof(shared_cache_settings)}) {
    if (option->getNumOccurrences() > 0 && shared_cache.empty()) {
      Refuse("option '--" + option->ArgStr + "' needs --object-cache");
    }
  }
  if (promotion_threshold == 0) Refuse("option '--promotion-threshold' needs a number above 0");
  if (orc_runtime.getNumOccurrences() > 0) {
    Refuse("option '--" + orc_runtime.ArgStr + "' is not supported: there is no ORC");
  }
}

// A file that is written must be named behind '='. The next argument may be the program.
void RefuseMissingFiles() {
  for (const cl::opt<std::string>* option : {&trace_file, &report_file, &hot_functions_file}) {
    if (option->getNumOccurrences() > 0 && option->empty()) {
      Refuse("option '--" + option->ArgStr + "' needs a file: --" + option->ArgStr + "=FILE");
    }
  }
}

// Returns in the process in which the program is to run.
void IsolateIfAsked() {
  // As lli.
  if (remote && remote_process.empty()) {
    Refuse("error: -remote-mcjit requires -mcjit-remote-process.");
  }
  ChildLimits limits;
  if (isolation_timeout.getNumOccurrences() > 0) {
    if (!(isolation_timeout > 0)) Refuse("option '--isolate-timeout' needs a time above 0");
    limits.time = absl::Seconds(isolation_timeout.getValue());
  }
  if (isolation_memory.getNumOccurrences() > 0) {
    if (isolation_memory == 0) Refuse("option '--isolate-memory' needs a size above 0");
    limits.memory = uint64_t{isolation_memory} << 20;
  }
  const bool has_limits =
      isolation_timeout.getNumOccurrences() > 0 || isolation_memory.getNumOccurrences() > 0;
  if (isolate || remote || has_limits) Isolate(limits);
}

CodegenLevel LevelOf(char level) {
  switch (level) {
    case '0':
      return CodegenLevel::kO0;
    case '1':
      return CodegenLevel::kO1;
    case '2':
      return CodegenLevel::kO2;
    case '3':
      return CodegenLevel::kO3;
    default:
      Refuse("invalid level '-O" + llvm::Twine(level) + "'");
  }
}

std::shared_ptr<ObjectCache> ConnectToSharedCache(std::shared_ptr<ObjectCache> front) {
  SharedCacheSettings settings;
  for (const std::string& pair : shared_cache_settings) {
    if (!absl::StrContains(pair, '=')) Refuse("option '--object-cache-setting' needs NAME=VALUE");
    settings.push_back(absl::StrSplit(pair, absl::MaxSplits('=', 1)));
  }
  if (!shared_cache_key_file.empty()) settings.emplace_back("key-file", shared_cache_key_file);
  if (shared_cache_budget.getNumOccurrences() > 0) {
    settings.emplace_back("budget", std::to_string(shared_cache_budget));
  }
  absl::StatusOr<std::unique_ptr<SharedCache>> cache =
      OpenSharedCache(shared_cache.getValue(), settings, std::move(front), &Warn);
  if (!cache.ok()) Refuse(std::string(cache.status().message()));
  return *std::move(cache);
}

// A file for each module if lli would keep one; otherwise packs of objects, with a server behind
// them if one is given. Null if there is no cache.
std::shared_ptr<ObjectCache> OpenCache() {
  if (enable_cache) {
    absl::StatusOr<std::unique_ptr<ModuleFiles>> cache = ModuleFiles::Open(cache_directory, &Warn);
    if (!cache.ok()) Refuse(std::string(cache.status().message()));
    return *std::move(cache);
  }
  if (no_cache) return nullptr;
  CacheChoice choice = {cache_directory, /*is_chosen=*/true};
  if (choice.directory.empty()) choice = ChooseCache();
  std::shared_ptr<ObjectCache> cache;
  if (!choice.directory.empty()) {
    DiskCache::Options options;
    options.warn = &Warn;
    // Nobody has asked for this directory, so it does not matter if nothing can be kept there.
    options.warns_of_writing = choice.is_chosen;
    options.pruning_policy = cache_policy;
    if (!choice.is_chosen && options.pruning_policy.empty()) {
      options.pruning_policy = kDefaultCachePolicy;
    }
    absl::StatusOr<std::unique_ptr<DiskCache>> disk =
        DiskCache::Open(std::move(choice.directory), std::move(options));
    if (disk.ok()) {
      cache = *std::move(disk);
    } else if (choice.is_chosen || absl::IsInvalidArgument(disk.status())) {
      Refuse(std::string(disk.status().message()));
    }
  }
  return shared_cache.empty() ? cache : ConnectToSharedCache(std::move(cache));
}

std::vector<std::pair<std::string, std::string>> CacheKey() {
  std::vector<std::pair<std::string, std::string>> key;
  for (const std::string& pair : cache_key) {
    if (!absl::StrContains(pair, '=')) Refuse("option '--object-cache-key' needs NAME=VALUE");
    key.push_back(absl::StrSplit(pair, absl::MaxSplits('=', 1)));
  }
  return key;
}

Tier TierOf(CodegenLevel level) {
  if (tier.getNumOccurrences() > 0) return tier;
  if (level >= CodegenLevel::kO2) return Tier::kOne;
  // Nothing is compiled later, not even again.
  return prepare_all ? Tier::kZero : Tier::kAuto;
}

// Options of LLVM's code generator mean something to LLVM only, except those that choose the
// target.
Baseline BaselineFromFlags() {
  if (baseline.getNumOccurrences() > 0 || backend != Backend::kAuto) return baseline;
  const bool are_for_llvm = llvm::any_of(llvm_arguments, [](llvm::StringRef argument) {
    const llvm::StringRef name = argument.ltrim('-').split('=').first;
    return argument.starts_with("-") && name != "mcpu" && name != "mattr" && name != "march" &&
           name != "relocation-model" && name != "code-model" && name != "load" && name != "O0";
  });
  return are_for_llvm ? Baseline::kOff : baseline;
}

// What a debugger would see is printed as if there was one.
DebugInfo DebugInfoFromFlags() {
  const bool is_printed = dump == Dump::kDebugDescriptor || dump == Dump::kDebugObjects;
  return debug_info == DebugInfo::kAuto && is_printed ? DebugInfo::kAlways : debug_info;
}

EngineOptions EngineOptionsFromFlags() {
  EngineOptions options;
  const bool is_eager = no_lazy_compilation || per_module_lazy || enable_cache;
  options.mode = is_eager ? Mode::kEager : mode.getValue();
  options.codegen_level = LevelOf(optimization_level);
  options.tier = TierOf(options.codegen_level);
  options.backend = backend;
  options.baseline = BaselineFromFlags();
  options.baseline_has_few_registers = baseline_few_registers;
  options.optnone = optnone;
  options.debug_info = DebugInfoFromFlags();
  options.promotion.threshold = promotion_threshold;
  options.promotion.threads = promotion_threads;
  options.promotion.counts_branches = !no_branch_counts;
  options.triple = target_triple;
  options.llvm_arguments = llvm_arguments;
  options.compile_threads = compile_threads;
  options.speculation_budget = absl::Milliseconds(speculation_budget.getValue());
  options.contain_crashes = true;  // There is no host whose handlers it could replace.
  options.search_process_symbols = !no_process_symbols;
  if (!no_process_symbols) options.symbol_finder = &FindInSharedLlvm;
  options.compile_server = compile_server;
  if (!(compile_server_budget > 0)) Refuse("option '--compile-server-budget' needs a time above 0");
  options.compile_server_budget = absl::Seconds(compile_server_budget.getValue());
  options.compile_without_server = compile_without_server;
  options.object_cache = OpenCache();
  options.cache_key = CacheKey();
  return options;
}

// As in lli: the file's name without .bc, which might confuse the program.
std::string ProgramName() {
  if (!fake_argv0.empty()) return fake_argv0;
  llvm::StringRef name = input_file.getValue();
  name.consume_back(".bc");
  return name.str();
}

// Each of `files`, with the library that the last -jd before it names.
std::vector<LibraryFile> InLibraries(cl::list<std::string>& files) {
  std::vector<LibraryFile> result;
  for (size_t i = 0; i < files.size(); ++i) {
    LibraryFile file{files[i], ""};
    for (size_t j = 0; j < libraries_of_modules.size(); ++j) {
      if (libraries_of_modules.getPosition(j) > files.getPosition(i)) break;
      file.library = libraries_of_modules[j] == kProgramLibrary ? "" : libraries_of_modules[j];
    }
    result.push_back(std::move(file));
  }
  return result;
}

// LLVM has an option of this name, for its own statistics, which release builds do not keep.
void AdoptStatsOption() {
  cl::Option* stats = cl::getRegisteredOptions()["stats"];
  stats->setDescription("Print what was compiled and how long it took, at exit");
  stats->setHiddenFlag(cl::NotHidden);
  stats->addCategory(category);
}

void PrintVersion(llvm::raw_ostream& out) {
  out << "firstcall version " << Version() << "\nLLVM version " << llvm_version::kVersion << "\n";
}

// Whether an option before the program prints what options or which LLVM there are.
bool AsksForHelp(int argc, char** argv) {
  for (int i = 1; i < argc && argv[i][0] == '-'; ++i) {
    const llvm::StringRef name = llvm::StringRef(argv[i]).ltrim('-').split('=').first;
    if (name.starts_with("help") || name == "h" || name == "version" ||
        (name.starts_with("print-") && name != print_compilation.ArgStr)) {
      return true;
    }
  }
  return false;
}

}  // namespace

CommandLine ParseCommandLine(int argc, char** argv) {
  if (AsksForHelp(argc, argv)) RunWithLlvm("printing its options");
  cl::SetVersionPrinter(&PrintVersion);
  AdoptStatsOption();
  // Matters for help and for the explanation of an error, which the program with LLVM gives.
  if (!MayBecomeTheOther()) cl::HideUnrelatedOptions(category);
  std::string message;
  llvm::raw_string_ostream errors(message);
  if (!cl::ParseCommandLineOptions(argc, argv,
                                   "firstcall: runs LLVM IR, compiling each function when it is "
                                   "first called\n\n"
                                   "firstcall bench|cache|precompile|serve ... does other things: "
                                   "see its manual page, or firstcall bench --help\n\n"
                                   "LLVM's options of code generation (--mcpu, --mattr, --march, "
                                   "--code-model, ...) and --load are accepted, too.\n",
                                   &errors)) {
    // Without a message, the parser of an option's value has already written to stderr.
    if (!message.empty()) {
      RunWithLlvm("explaining an error");
      llvm::errs() << message;
    }
    std::exit(1);
  }
  RefuseWhatThereIsNot();
  RefuseMissingFiles();
  IsolateIfAsked();  // Before the engine's options open caches.
  llvm_arguments = LlvmArguments(argc, argv, input_file.getValue(), category);
  CommandLine command_line;
  command_line.engine = EngineOptionsFromFlags();
  command_line.modules.push_back({input_file, ""});
  for (LibraryFile& file : InLibraries(extra_modules)) {
    command_line.modules.push_back(std::move(file));
  }
  command_line.objects.assign(extra_objects.begin(), extra_objects.end());
  command_line.archives = InLibraries(extra_archives);
  command_line.engine.shared_libraries.assign(libraries.begin(), libraries.end());
  // Libraries may install handlers, and stop threads, as collectors do.
  command_line.engine.holds_signals = hold_signals || !libraries.empty();
  command_line.prepares_all = prepare_all;
  if (entry_function.empty()) Refuse("error: --entry-function name cannot be empty");
  command_line.entry_function = entry_function;
  command_line.thread_entries.assign(thread_entries.begin(), thread_entries.end());
  command_line.interpret = force_interpreter;
  command_line.dump = dump;
  if (disable_core_files) llvm::sys::Process::PreventCoreFiles();
  command_line.arguments.push_back(ProgramName());
  command_line.arguments.insert(command_line.arguments.end(), input_arguments.begin(),
                                input_arguments.end());
  command_line.print_stats = llvm::AreStatisticsEnabled();
  command_line.functions_file = functions_file;
  command_line.precompile_optimized = precompile_optimized;
  command_line.hot_functions_file = hot_functions_file;
  command_line.observation = {print_compilation, perf, trace_file, report_file};
  return command_line;
}

}  // namespace firstcall
