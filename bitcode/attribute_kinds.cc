#include "bitcode/attribute_kinds.h"

#include <array>
#include <cstddef>

namespace firstcall::bitcode {
namespace {

using ir::Attribute;

struct Pair {
  uint8_t number;
  Attribute attribute;
};

constexpr Pair kKept[] = {
    {1, Attribute::kAlign},
    {2, Attribute::kAlwaysInline},
    {3, Attribute::kByVal},
    {5, Attribute::kInReg},
    {7, Attribute::kNaked},
    {8, Attribute::kNest},
    {10, Attribute::kNoBuiltin},
    {11, Attribute::kNoCapture},
    {12, Attribute::kNoDuplicate},
    {14, Attribute::kNoInline},
    {15, Attribute::kNonLazyBind},
    {16, Attribute::kNoRedZone},
    {17, Attribute::kNoReturn},
    {18, Attribute::kNoUnwind},
    {22, Attribute::kReturned},
    {23, Attribute::kReturnsTwice},
    {24, Attribute::kSExt},
    {25, Attribute::kStackAlignment},
    {26, Attribute::kStackProtect},
    {27, Attribute::kStackProtectReq},
    {28, Attribute::kStackProtectStrong},
    {29, Attribute::kStructRet},
    {30, Attribute::kSanitizeAddress},
    {31, Attribute::kSanitizeThread},
    {32, Attribute::kSanitizeMemory},
    {33, Attribute::kUWTable},
    {34, Attribute::kZExt},
    {36, Attribute::kCold},
    {37, Attribute::kOptimizeNone},
    {38, Attribute::kInAlloca},
    {40, Attribute::kJumpTable},
    {43, Attribute::kConvergent},
    {44, Attribute::kSafeStack},
    {46, Attribute::kSwiftSelf},
    {47, Attribute::kSwiftError},
    {54, Attribute::kStrictFP},
    {55, Attribute::kSanitizeHWAddress},
    {56, Attribute::kNoCfCheck},
    {58, Attribute::kShadowCallStack},
    {59, Attribute::kSpeculativeLoadHardening},
    {60, Attribute::kImmArg},
    {64, Attribute::kSanitizeMemTag},
    {65, Attribute::kPreallocated},
    {66, Attribute::kNoMerge},
    {67, Attribute::kNullPointerIsValid},
    {69, Attribute::kByRef},
    {75, Attribute::kSwiftAsync},
    {77, Attribute::kElementType},
    {83, Attribute::kPresplitCoroutine},
    {84, Attribute::kFnRetThunkExtern},
    {86, Attribute::kMemory},
    // Before LLVM 16, functions had these instead. Those that parameters have, too, count only if a
    // function has them (AttributeReader).
    {20, Attribute::kMemory},  // readnone
    {21, Attribute::kMemory},  // readonly
    {45, Attribute::kMemory},  // argmemonly
    {49, Attribute::kMemory},  // inaccessiblememonly
    {50, Attribute::kMemory},  // inaccessiblemem_or_argmemonly
    {52, Attribute::kMemory},  // writeonly
};

// The code of a function does not depend on these.
constexpr uint8_t kDropped[] = {
    4,    // inlinehint
    6,    // minsize
    9,    // noalias
    13,   // noimplicitfloat
    19,   // optsize
    35,   // builtin
    39,   // nonnull
    41,   // dereferenceable
    42,   // dereferenceable_or_null
    48,   // norecurse
    51,   // allocsize
    53,   // speculatable
    57,   // optforfuzzing
    61,   // willreturn
    62,   // nofree
    63,   // nosync
    68,   // noundef
    70,   // mustprogress
    71,   // nocallback
    72,   // hot
    73,   // noprofile
    74,   // vscale_range
    76,   // nosanitize_coverage
    78,   // disable_sanitizer_instrumentation
    79,   // nosanitize_bounds
    80,   // allocalign
    81,   // allocptr
    82,   // allockind
    85,   // skipprofile
    87,   // nofpclass
    88,   // optdebug
    89,   // writable
    90,   // coro_only_destroy_when_complete
    91,   // dead_on_unwind
    92,   // range
    93,   // sanitize_numerical_stability
    94,   // initializes
    95,   // hybrid_patchable
    98,   // coro_elide_safe
    99,   // noext
    100,  // nodivergencesource
    102,  // captures
    103,  // dead_on_return
    105,  // nocreateundeforpoison
};

constexpr size_t kNumbers = 106;

constexpr std::array<uint64_t, kNumbers> MakeTable() {
  std::array<uint64_t, kNumbers> table{};
  for (uint64_t& bits : table) bits = BitOf(Attribute::kUnknown);
  for (const Pair& pair : kKept) table[pair.number] = BitOf(pair.attribute);
  for (uint8_t number : kDropped) table[number] = 0;
  return table;
}
constexpr std::array<uint64_t, kNumbers> kTable = MakeTable();

constexpr uint64_t kNamingTypes = BitOf(Attribute::kByVal) | BitOf(Attribute::kByRef) |
                                  BitOf(Attribute::kStructRet) | BitOf(Attribute::kInAlloca) |
                                  BitOf(Attribute::kPreallocated) | BitOf(Attribute::kElementType);

}  // namespace

uint64_t BitsOfAttribute(uint64_t kind) {
  return kind < kTable.size() ? kTable[kind] : BitOf(Attribute::kUnknown);
}

bool NamesType(uint64_t bits) { return (bits & kNamingTypes) != 0; }

}  // namespace firstcall::bitcode
