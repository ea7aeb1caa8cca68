// The names under which function-modules, data-modules and the linker refer to a source module's
// symbols.
//
// A function has three names, because a call may go straight to its body, while its address must be
// that of its stub:
//   foo          the symbol under which its body is defined
//   foo$fc.stub  its identity: the result of taking its address
//   foo$fc.call  the target of a direct call: the linker binds it to the body if that is final and
//                in the same source module, otherwise to the stub
// A constant table of functions (a vtable) has a fourth name for those whose address nobody
// compares:
//   foo$fc.table  as foo$fc.stub, but the entry of the table gets the address of the final body
//                 once there is one
// There are three more names, for other things that belong to a function:
//   foo$fc.hotness  the counter of its calls and loop iterations (see seam/hotness_counter.h)
//   foo$fc.loop  its OSR continuation at the beginning of one of its loops
//   foo$fc.counts  the counters of its branches (see backend/llvm/branch_counting.h)
// An optimized object has variables of its own that hold the addresses of functions:
//   foo$fc.guard  what a guarded call compares with (see compiler/counted_calls.h)
// Local symbols (internal, private, unnamed) first get the suffix `$<ordinal>`, so that two of the
// same name, in one source module or in two, never conflict in a linker. Names with `$fc.` are
// reserved.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_OBJECT_SYMBOL_NAME_H_
#define FIRSTCALL_OBJECT_SYMBOL_NAME_H_

#include <string>

#include "absl/strings/string_view.h"
#include "base/ids.h"

namespace firstcall {

inline constexpr absl::string_view kReservedMark = "$fc.";
inline constexpr absl::string_view kStubSuffix = "$fc.stub";
inline constexpr absl::string_view kCallSuffix = "$fc.call";
inline constexpr absl::string_view kTableSuffix = "$fc.table";
inline constexpr absl::string_view kHotnessSuffix = "$fc.hotness";
inline constexpr absl::string_view kLoopSuffix = "$fc.loop";
inline constexpr absl::string_view kCountsSuffix = "$fc.counts";
inline constexpr absl::string_view kGuardSuffix = "$fc.guard";

// The function of a data-module that must run once, after the data-module has been linked.
inline constexpr absl::string_view kInitializer = "$fc.initialize";

// The prefix of the control variable that LLVM's emulated TLS makes for a thread-local variable.
inline constexpr absl::string_view kEmulatedTlsPrefix = "__emutls_v.";

// The list of stack frames with the roots of garbage collection. LLVM's code generator defines it,
// as a weak symbol, in every module with a function that has such a frame; a program has one list.
inline constexpr absl::string_view kShadowStackRoots = "llvm_gc_root_chain";

// Each source module and each object has its own definitions of these two names, so that its exit
// handlers run, and are removed, together with it.
inline constexpr absl::string_view kAtexit = "atexit";
inline constexpr absl::string_view kDsoHandle = "__dso_handle";

// A static linker's names for the bounds of a section whose name is a C identifier.
inline constexpr absl::string_view kSectionStartPrefix = "__start_";
inline constexpr absl::string_view kSectionStopPrefix = "__stop_";

bool IsIdentifier(absl::string_view section);

// The name of a symbol of a Mach-O object, without the underscore that Mach-O puts in front of C's
// names. Names without one stay as they are.
absl::string_view WithoutMachoPrefix(absl::string_view name);

// An object's name for the beginning of its global offset table, which the linker makes.
inline constexpr absl::string_view kGlobalOffsetTable = "_GLOBAL_OFFSET_TABLE_";

// An object's name for the beginning of its block of thread-local variables.
inline constexpr absl::string_view kThreadLocalBase = "_TLS_MODULE_BASE_";

enum class ReferenceKind { kPlain, kStub, kCall, kTable, kHotness };

// A symbol name of an object, split into its parts.
struct SymbolReference {
  absl::string_view name;  // Without the suffix; points into the argument of ParseReference.
  ReferenceKind kind = ReferenceKind::kPlain;
};

SymbolReference ParseReference(absl::string_view object_name);

// The name that makes a local symbol unique: `name$ordinal`, with a `$` before a name that begins
// with .L, so that an object's symbol table keeps it.
std::string LocalSymbolName(absl::string_view name, SymbolOrdinal ordinal);
void AppendLocalSymbolName(absl::string_view name, SymbolOrdinal ordinal, std::string& result);

// The name that a local symbol has in the source, if `name` is that of LocalSymbolName. (A name of
// the source that ends in `$` and a number is cut, too: for people to read only.)
absl::string_view WithoutOrdinal(absl::string_view name);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_SYMBOL_NAME_H_
