// The names under which function-modules, data-modules and the linker refer to a source module's
// symbols.
//
// A function has three names, because a call may go straight to its body while its address must be
// its stub:
//   foo          the symbol its body is defined under
//   foo$fc.stub  its identity: what taking its address yields
//   foo$fc.call  what a direct call refers to: the linker binds it to the body if that is final and
//                in the same source module, otherwise to the stub
// and two more for what belongs to it:
//   foo$fc.heat  what it counts its calls and iterations with (see heat_polls.h)
//   foo$fc.loop  its continuation at the beginning of one of its loops
// Local symbols (internal, private, unnamed) get the suffix `$<ordinal>` first, so that two of one
// name, in two source modules or in one, never meet in a linker. Names with `$fc.` are reserved.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_SPLITTER_SYMBOL_NAME_H_
#define FIRSTCALL_SPLITTER_SYMBOL_NAME_H_

#include <string>

#include "absl/strings/string_view.h"
#include "base/ids.h"

namespace llvm {
class GlobalValue;
}  // namespace llvm

namespace firstcall {

inline constexpr absl::string_view kReservedMark = "$fc.";
inline constexpr absl::string_view kStubSuffix = "$fc.stub";
inline constexpr absl::string_view kCallSuffix = "$fc.call";
inline constexpr absl::string_view kHeatSuffix = "$fc.heat";
inline constexpr absl::string_view kLoopSuffix = "$fc.loop";

// The function of a data-module that has to run once, when the data-module has been linked.
inline constexpr absl::string_view kInitializer = "$fc.initialize";

// Prefix of the control variable that LLVM's emulated-TLS lowering makes for a thread-local one.
inline constexpr absl::string_view kEmulatedTlsPrefix = "__emutls_v.";

// The list of stack frames with garbage collection's roots. LLVM's code generator defines it,
// weakly, in every module with a function that has such a frame; the program has one.
inline constexpr absl::string_view kShadowStackRoots = "llvm_gc_root_chain";

// What a static linker calls the bounds of a section whose name is a C identifier.
inline constexpr absl::string_view kSectionStartPrefix = "__start_";
inline constexpr absl::string_view kSectionStopPrefix = "__stop_";

bool IsIdentifier(absl::string_view section);

enum class ReferenceKind { kPlain, kStub, kCall, kHeat };

// A symbol name as it stands in an object, taken apart.
struct SymbolReference {
  absl::string_view name;  // Without the suffix; aliases the argument of ParseReference.
  ReferenceKind kind = ReferenceKind::kPlain;
};

SymbolReference ParseReference(absl::string_view object_name);

// The name that makes a local symbol unique: `name$ordinal`, and an object's symbol table keep it.
std::string LocalSymbolName(absl::string_view name, SymbolOrdinal ordinal);

// What objects and the process call `value`: its name without the leading \1 by which LLVM IR marks
// what the target's mangling must leave alone, and with what its calling convention appends
// (x86_vectorcallcc: the bytes of its arguments).
std::string ObjectName(const llvm::GlobalValue& value);

// The name to give to a function like `original` for objects to call it exactly `object_name`.
std::string IrName(absl::string_view object_name, const llvm::GlobalValue& original);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_SYMBOL_NAME_H_
