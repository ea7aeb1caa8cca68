// The records and constants of relocatable Mach-O objects of 64 bits, as far as they are read here.
// The names are those of Apple's <mach-o/loader.h>, <mach-o/nlist.h> and <mach-o/reloc.h>, which no
// system but Apple's has, without their prefixes. For the other files of this folder.

#ifndef FIRSTCALL_OBJECT_MACHO_FORMAT_H_
#define FIRSTCALL_OBJECT_MACHO_FORMAT_H_

#include <cstdint>

namespace firstcall::macho {

constexpr uint32_t kMagic64 = 0xfeedfacf;
constexpr uint32_t kObjectFile = 1;  // MH_OBJECT

constexpr uint32_t kX86_64 = 0x01000007;
constexpr uint32_t kArm64 = 0x0100000c;

struct Header {
  uint32_t magic;
  uint32_t machine;
  uint32_t machine_subtype;
  uint32_t file_type;
  uint32_t command_count;
  uint32_t commands_size;
  uint32_t flags;
  uint32_t reserved;
};

// Load commands.
constexpr uint32_t kSymbolTable = 0x2;    // LC_SYMTAB
constexpr uint32_t kDynamicTable = 0xb;   // LC_DYSYMTAB
constexpr uint32_t kSegment64 = 0x19;     // LC_SEGMENT_64
constexpr uint32_t kBuildVersion = 0x32;  // LC_BUILD_VERSION
// LC_VERSION_MIN_MACOSX and _IPHONEOS, _TVOS, _WATCHOS.
constexpr uint32_t kVersionCommands[] = {0x24, 0x25, 0x2f, 0x30};

struct Command {
  uint32_t type;
  uint32_t size;
};

struct SegmentCommand {
  Command command;
  char name[16];
  uint64_t address, memory_size, file_offset, file_size;
  uint32_t most_protection, protection, section_count, flags;
};

struct SectionRecord {
  char name[16];
  char segment[16];
  uint64_t address, size;
  uint32_t offset, alignment;  // The alignment is a power of two: its exponent.
  uint32_t relocations, relocation_count;
  uint32_t flags, reserved1, reserved2, reserved3;
};

struct SymbolTableCommand {
  Command command;
  uint32_t symbols, symbol_count, names, names_size;
};

struct DynamicTableCommand {
  Command command;
  uint32_t unused[12];
  uint32_t indirect_symbols, indirect_symbol_count;
  uint32_t unused_too[4];
};

// The type of a section: the low byte of its flags. Others are ordinary ones.
constexpr uint8_t kZeroFill = 0x1;
constexpr uint8_t kNonLazyPointers = 0x6;
constexpr uint8_t kLazyPointers = 0x7;
constexpr uint8_t kStubs = 0x8;
constexpr uint8_t kInitFunctions = 0x9;
constexpr uint8_t kTermFunctions = 0xa;
constexpr uint8_t kBigZeroFill = 0xc;
constexpr uint8_t kFirstThreadLocal = 0x11, kLastThreadLocal = 0x15;
constexpr uint8_t kInitOffsets = 0x16;

// Attributes of a section.
constexpr uint32_t kHasInstructions = 0x80000000 | 0x400;  // S_ATTR_PURE_, S_ATTR_SOME_INSTRUCTIONS

struct SymbolRecord {
  uint32_t name;
  uint8_t type;
  uint8_t section;  // Its number, from 1.
  uint16_t description;
  uint64_t value;  // An address; for a common symbol its size.
};

// The parts of a symbol's type.
constexpr uint8_t kDebuggerMask = 0xe0;  // N_STAB
constexpr uint8_t kPrivateExternal = 0x10;
constexpr uint8_t kKindMask = 0x0e;
constexpr uint8_t kExternal = 0x01;
constexpr uint8_t kUndefined = 0x0, kAbsolute = 0x2, kInSection = 0xe;  // The kinds.

// Flags of a symbol's description.
constexpr uint16_t kWeakReference = 0x40;
constexpr uint16_t kWeakDefinition = 0x80;

// An indirect symbol that is a number, unless it is one of these.
constexpr uint32_t kIndirectLocal = 0x80000000;
constexpr uint32_t kIndirectAbsolute = 0x40000000;

struct RelocationRecord {
  uint32_t offset;
  // symbol or section: 24 bits, is_pc_relative: 1, log2 of the size: 2, is_external: 1, type: 4
  uint32_t info;
};

enum X86_64Relocation : uint8_t {
  kX86Unsigned = 0,
  kX86Signed = 1,
  kX86Branch = 2,
  kX86GotLoad = 3,
  kX86Got = 4,
  kX86Subtractor = 5,
  kX86Signed1 = 6,
  kX86Signed2 = 7,
  kX86Signed4 = 8,
  kX86ThreadLocal = 9,
};

enum Arm64Relocation : uint8_t {
  kArmUnsigned = 0,
  kArmSubtractor = 1,
  kArmBranch26 = 2,
  kArmPage21 = 3,
  kArmPageOffset12 = 4,
  kArmGotLoadPage21 = 5,
  kArmGotLoadPageOffset12 = 6,
  kArmPointerToGot = 7,
  kArmThreadLocalPage21 = 8,
  kArmThreadLocalPageOffset12 = 9,
  kArmAddend = 10,
};

}  // namespace firstcall::macho

#endif  // FIRSTCALL_OBJECT_MACHO_FORMAT_H_
