// The seam between the two halves of the engine: what the runtime half, which knows nothing of
// LLVM, asks of a compiler.
//
// Requests and answers are values: identifiers, ordinals, names, bytes, statuses. While it works, a
// compiler may call the functions of a request, on the thread that made the request.
//
// Implementations are thread-safe. Each call blocks until the compile is done. The modules that
// requests name must have been added. Tested in tests/runtime/runtime_test.cc.

#ifndef FIRSTCALL_SEAM_COMPILER_H_
#define FIRSTCALL_SEAM_COMPILER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/ids.h"
#include "base/module_contents.h"
#include "foreign/function_shape.h"
#include "object/linker.h"
#include "object/object_bytes.h"
#include "seam/assembly_labels.h"
#include "seam/body_digests.h"
#include "seam/branch_counts.h"
#include "seam/code_lines.h"
#include "seam/code_origin.h"
#include "seam/compile_questions.h"
#include "seam/entry_point.h"
#include "seam/hotness_signs.h"
#include "seam/identification.h"
#include "seam/stop_flag.h"
#include "seam/symbol_index.h"

namespace firstcall {

// A source module that will be asked for.
struct ModuleOrder {
  ModuleId id;
  ModuleContents contents;
  // The module's index, if it is known from a cache. Otherwise null: the compiler reads the
  // contents.
  std::shared_ptr<const SymbolIndex> index;
};

// Calls its argument, which may take long and uses nothing that belongs to the engine. Returns
// whether the result is still wanted. If not, the engine with all its parts may be gone.
using RunPasses = absl::FunctionRef<bool(absl::FunctionRef<void()> passes)>;

// A relocatable object that was compiled.
struct CompiledObject {
  ObjectBytes bytes;
  CodeOrigin origin;
  // The functions whose bodies its code was made from, inlined ones included, and those from which
  // something was inferred. Sorted; empty for data, and for a module that was compiled whole.
  std::vector<SymbolOrdinal> sources;
  // For an optimized body: the callees whose bodies it could inline, and the functions of which it
  // uses what was inferred of them.
  size_t imported = 0;
  size_t facts = 0;
  // The callees that were inlined into an optimized body itself. Empty if a compile server has made
  // it.
  std::vector<std::string> inlined;
  absl::Duration split;
  absl::Duration emit;      // With `optimize`.
  absl::Duration optimize;  // The passes over its IR; zero for a first body.
  // The counters of a counting body; nullopt for all other objects.
  std::optional<BranchCounters> counters;
};

// What a first body must be able to do if an optimized body may replace it.
struct PollOptions {
  // The function polls when it is called, too.
  bool asks_when_called = false;
  // How many instructions the polls may take. Polls at loops that would exceed this number are left
  // out.
  int64_t allowance = 0;
};

struct FunctionOrder {
  ModuleId module;
  SymbolOrdinal function;
  IsReplaced is_replaced;
  MayJoin may_join;
  // Whether may_join says yes to anything.
  bool others_may_join = true;
  // The code reaches everything through the offset table, so that it may lie anywhere.
  bool is_far = false;
  // At most how many of the functions that this one calls should join it.
  size_t callees_along = 0;
  // How many functions of the module should join this one in all, whether it calls them or not.
  size_t companions = 0;
  // The answer lists the functions that this one probably calls.
  bool lists_callees = false;
  // Set if an optimized body may replace this one.
  std::optional<PollOptions> polls = std::nullopt;
  std::optional<Identification> identification = std::nullopt;
};

struct CompiledFunction {
  CompiledObject object;
  // The functions that the object defines, each under its Symbol::name: first the one that was
  // asked for with its group, then those that joined.
  std::vector<SymbolOrdinal> functions;
  std::vector<SymbolOrdinal> variables;
  // Functions that the object defines, too, and that other objects publish.
  std::vector<SymbolOrdinal> unused;
  // For each of the functions; empty if none can be replaced.
  std::vector<HotnessSigns> hotness_signs;
  // The likeliest first.
  std::vector<SymbolOrdinal> callees;
  // What the functions' size allows for polls, less what their polls take, in instructions.
  int64_t poll_balance = 0;
  // The labels that inline assembly of the functions defines, as global symbols of the object.
  std::vector<std::string> labels;
  // If this is set, nothing else is: the function can only be compiled together with this one,
  // which the caller must ask for instead.
  std::optional<SymbolOrdinal> leader;
};

struct DataOrder {
  ModuleId module;
  IsReplaced is_replaced;
  bool is_far = false;  // Not for CompileWhole.
  std::optional<Identification> identification = std::nullopt;
};

struct OptimizationOrder {
  ModuleId module;
  SymbolOrdinal function;
  // If set, the function's OSR continuation at this loop is made, instead of its optimized body.
  // The object defines the continuation under the function's name with kLoopSuffix. If the first
  // body polls in machine code, the object says how it is left (seam/loop_exit.h).
  std::optional<uint32_t> loop;
  bool is_far = false;
  std::shared_ptr<StopFlag> stop;
  // To be called between two passes, on any thread. Does not return if the process is exiting (see
  // UnattendedWork).
  void (*stop_if_exiting)();
  IsReplaced is_replaced;
  IsWarm is_warm;
  RunPasses run_passes;
  std::optional<Identification> identification = std::nullopt;
  // If true, the function's counting body is made, instead of its optimized body: a first body that
  // polls in all its loops, and counts where its branches go and what its indirect calls call. No
  // passes are run.
  bool counts_branches = false;
  // What counting bodies of functions of the module have counted. The targets of calls are
  // functions of the module.
  std::vector<BranchCounts> counts = {};
  // The code has the debug information of its module, also where other code has none. (A compile
  // server makes code as other code.)
  bool keeps_debug_info = false;
  // Whether the first body polls when it is called, too.
  bool asks_when_called = false;
};

// First bodies that are linked, and whose debug information is wanted.
struct DescriptionOrder {
  ModuleId module;
  std::vector<SymbolOrdinal> functions;
  IsReplaced is_replaced;
  // Whether the body of the function with this index in `functions` is the one in `object`, which
  // was compiled again.
  absl::FunctionRef<bool(size_t index, ObjectBytes object)> is_running;
  absl::FunctionRef<std::vector<SymbolOrdinal>(size_t index)> straight_calls;
  bool is_far = false;
  // Set if optimized bodies may replace the bodies: whether these poll when they are called.
  std::optional<bool> asks_when_called = std::nullopt;
  // The functions are all that one object defines. Otherwise `straight_calls` is asked when
  // `is_running` has said no: which functions the body that runs calls straight, because they are
  // in one object with it.
  bool is_one_object = false;
  // CodeDescription::lines is wanted, instead of CodeDescription::object.
  bool wants_lines = false;
};

// Debug information of functions.
struct CodeDescription {
  std::vector<SymbolOrdinal> described;
  // An object that defines each of `described` under its Symbol::name, in a section of its own,
  // whose code is not to be loaded. Empty if `described` is.
  ObjectBytes object;
  // If the order wants lines: those of each of `described`.
  std::vector<CodeLines> lines;
};

class Compiler {
 public:
  virtual ~Compiler() = default;

  // Adds a source module, and returns the index of its symbols. Remove must follow in the end.
  // Errors: InvalidArgument, with the position or the function and the reason, if the contents are
  // not valid IR or are made for another target; Unimplemented, with its name, for a construct that
  // is not supported. After an error the module is not added.
  virtual absl::StatusOr<std::shared_ptr<const SymbolIndex>> Add(ModuleOrder order) = 0;

  // Compiles a function's first body, perhaps together with others. Errors: InvalidArgument if its
  // IR is damaged or not valid; Unimplemented if it contains something that cannot be split;
  // Internal if code generation gives up. After an error the functions that joined are in no
  // object.
  virtual absl::StatusOr<CompiledFunction> CompileFunction(const FunctionOrder& order) = 0;

  // Compiles the data of a module, or the whole module.
  virtual absl::StatusOr<CompiledObject> CompileData(const DataOrder& order) = 0;
  virtual absl::StatusOr<CompiledObject> CompileWhole(const DataOrder& order) = 0;

  // Compiles an optimized body of a function that counts its calls, or its continuation at a loop,
  // or its counting body. Errors as for its first body; NotFound, with the reason, if the first
  // body cannot be left at the loop; FailedPrecondition if the function's IR is no longer there;
  // Unimplemented if it has no branches to count, or they cannot be counted; Cancelled if the stop
  // flag was set or the result is not wanted, after which this object may be gone.
  virtual absl::StatusOr<CompiledObject> Optimize(const OptimizationOrder& order) = 0;

  // Compiles first bodies once more, and describes those that DescriptionOrder::is_running
  // accepts: for debuggers (lines, variables, types, unwind rows), or their lines alone. Leaves out
  // functions without debug information, those that the baseline code generator does not make, and
  // those whose IR is no longer there. NotFound if the module has no debug information;
  // Unimplemented if the compiler makes none.
  virtual absl::StatusOr<CodeDescription> DescribeBodies(const DescriptionOrder& order) {
    (void)order;
    return absl::UnimplementedError("this compiler makes no debug information");
  }

  // Digests of the parts of a module's contents. Takes some 0.3 ms per MB. Unimplemented if the
  // module was not read from bitcode; InvalidArgument if the bitcode is damaged.
  virtual absl::StatusOr<BodyDigests> DigestBodies(ModuleId module) = 0;

  // The labels that inline assembly of the module's functions defines. Reads the bodies of all of
  // them, or, of a module given in memory, of those that were not compiled yet.
  virtual absl::StatusOr<AssemblyLabels> ReadLabels(ModuleId module) = 0;

  // How to call a function as main. InvalidArgument, with the reason, if it cannot be called so.
  virtual absl::StatusOr<EntryPoint> ReadEntryPoint(ModuleId module, SymbolOrdinal function) = 0;

  // How a function is called from C. FailedPrecondition if its IR is no longer there; otherwise
  // errors as ReadFunctionShape. `is_last_use`: the IR is read for nothing else any more.
  virtual absl::StatusOr<FunctionShape> ReadShape(ModuleId module, SymbolOrdinal function,
                                                  bool is_last_use) = 0;

  // Has the compiler read the module again when it next needs the module. To be called when a
  // compile in which functions had joined another one has failed, before these functions are given
  // back: they may be missing in what the compiler has read.
  virtual void ReadAgain(ModuleId module) = 0;

  // To be called when the first bodies of all functions of a module are compiled, and perhaps its
  // data (`data_is_compiled`). Gives up what the compiler keeps for them.
  virtual void ForgetFunctions(ModuleId module, bool data_is_compiled) = 0;

  // Gives up what the compiler keeps for a module. No other call for the module may be in progress
  // or follow, except for an optimization that is not wanted any more.
  virtual void Remove(ModuleId module) = 0;

  // A linker for objects that ElfLinker does not support, and for all that the compiler makes if
  // RuntimeOptions::compiler_links says so.
  virtual absl::StatusOr<std::unique_ptr<Linker>> MakeLinker() = 0;

  // An address in the code of the library that generates code, whose passes may be stopped when the
  // process exits (StoppableThread); null if there is none yet.
  virtual const void* SomewhereInLibrary() = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_COMPILER_H_
