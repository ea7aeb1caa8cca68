// Apple's <mach-o/x86_64/reloc.h> and <mach-o/arm64/reloc.h> describe the relocations.

#include "object/macho_references.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace firstcall {
namespace {

using Relocation = MachoFile::Relocation;
using Target = MachoReference::Target;

absl::Status Damaged(absl::string_view what) { return absl::InvalidArgumentError(what); }

class ReferenceReader {
 public:
  ReferenceReader(const MachoFile& file, uint32_t number, std::string& contents)
      : file_(file),
        number_(number),
        section_(file.sections()[number - 1]),
        contents_(contents),
        is_x86_(file.machine() == Machine::kX86_64) {}

  absl::StatusOr<std::vector<MachoReference>> Read() {
    for (size_t i = 0; i < section_.relocation_count; ++i) {
      const Relocation relocation = file_.relocation(section_, i);
      FIRSTCALL_RETURN_IF_ERROR(Check(relocation));
      if (!IsFirstOfPair(relocation)) {
        FIRSTCALL_RETURN_IF_ERROR(Add(relocation, /*addend=*/0));
        continue;
      }
      if (++i == section_.relocation_count) return Damaged("a pair of relocations has no end");
      const Relocation second = file_.relocation(section_, i);
      FIRSTCALL_RETURN_IF_ERROR(Check(second));
      if (second.offset != relocation.offset || IsAddend(second)) {
        return Damaged("a pair of relocations has two places");
      }
      FIRSTCALL_RETURN_IF_ERROR(AddPair(relocation, second));
    }
    return std::move(references_);
  }

 private:
  // Of the numbers, those of addends and of sections that are no target are checked elsewhere.
  absl::Status Check(const Relocation& relocation) const {
    if (relocation.offset > contents_.size() ||
        relocation.size > contents_.size() - relocation.offset) {
      return Damaged("a relocation lies outside its section");
    }
    if (IsAddend(relocation)) return absl::OkStatus();
    if (relocation.is_external ? relocation.target >= file_.symbols().size()
                               : relocation.target - 1 >= file_.sections().size()) {
      return Damaged(relocation.is_external ? "a relocation names no symbol"
                                            : "a relocation names no section");
    }
    return absl::OkStatus();
  }

  bool IsAddend(const Relocation& relocation) const {
    return !is_x86_ && relocation.type == macho::kArmAddend;
  }
  bool IsSubtractor(const Relocation& relocation) const {
    return relocation.type ==
           (is_x86_ ? uint8_t{macho::kX86Subtractor} : uint8_t{macho::kArmSubtractor});
  }
  bool IsFirstOfPair(const Relocation& relocation) const {
    return IsSubtractor(relocation) || IsAddend(relocation);
  }

  absl::string_view NameOf(const Relocation& relocation) const {
    return relocation.is_external ? file_.symbols()[relocation.target].name
                                  : file_.sections()[relocation.target - 1].name;
  }

  absl::Status Unsupported(const Relocation& relocation) const {
    return absl::UnimplementedError(
        absl::StrCat("symbol '", NameOf(relocation), "': relocation ", relocation.type, " of ",
                     relocation.size, " bytes", relocation.is_pc_relative ? ", relative," : "",
                     relocation.is_external ? "" : " to a section", " is not supported"));
  }
  absl::Status ThreadLocal(const Relocation& relocation) const {
    return absl::UnimplementedError(absl::StrCat("symbol '", NameOf(relocation),
                                                 "': thread-local variables are not supported"));
  }

  // What stands in the place of a relocation, as a signed number.
  int64_t ValueAt(const Relocation& relocation) const {
    uint64_t value = 0;
    std::memcpy(&value, contents_.data() + relocation.offset, relocation.size);
    const int unused = 64 - 8 * relocation.size;
    return static_cast<int64_t>(value << unused) >> unused;
  }
  // Of a relocation that is smaller than an instruction, which is refused, only what it covers.
  uint32_t InstructionAt(const Relocation& relocation) const {
    uint32_t instruction = 0;
    std::memcpy(&instruction, contents_.data() + relocation.offset,
                std::min<size_t>(relocation.size, sizeof(instruction)));
    return instruction;
  }

  // Addresses in the object are unsigned; sums of them may wrap around.
  int64_t AddressOf(const Relocation& to_section) const {
    return static_cast<int64_t>(file_.sections()[to_section.target - 1].address);
  }

  void Append(const Relocation& relocation, uint32_t type, int64_t addend,
              bool is_to_pointer = false) {
    MachoReference reference;
    reference.offset = relocation.offset;
    reference.type = type;
    reference.number = relocation.target;
    reference.addend = addend;
    if (is_to_pointer) {
      reference.target = Target::kPointer;
    } else if (!relocation.is_external) {
      // The value counts from address 0 of the object, not from the section's beginning.
      reference.target = Target::kSection;
      reference.addend = Difference(addend, AddressOf(relocation));
    }
    // As in ELF: some linkers add what stands there. In instructions there is no addend.
    if (is_x86_ || type == R_AARCH64_ABS64 || type == R_AARCH64_ABS32 || type == R_AARCH64_PREL64 ||
        type == R_AARCH64_PREL32) {
      std::memset(contents_.data() + relocation.offset, 0, relocation.size);
    }
    references_.push_back(reference);
  }

  absl::Status Add(const Relocation& relocation, int64_t addend) {
    if (relocation.is_external && file_.symbols()[relocation.target].is_for_debuggers()) {
      return Damaged("a relocation names no symbol");
    }
    return is_x86_ ? AddX86_64(relocation) : AddAArch64(relocation, addend);
  }

  absl::Status AddX86_64(const Relocation& relocation) {
    const bool is_distance = relocation.is_pc_relative && relocation.size == 4;
    const int64_t value = ValueAt(relocation);
    switch (relocation.type) {
      case macho::kX86Unsigned:
        return AddAddress(relocation, R_X86_64_64, R_X86_64_32);
      case macho::kX86Signed:
      case macho::kX86Signed1:
      case macho::kX86Signed2:
      case macho::kX86Signed4:
      case macho::kX86Branch: {
        if (!is_distance) return Unsupported(relocation);
        const bool is_call = relocation.type == macho::kX86Branch && relocation.is_external;
        // The instruction counts from its end, ELF from the place. The value is the distance
        // between the end of the four bytes and the target; if the target is a section, it is what
        // the instruction would need if everything lay where the object says.
        Append(relocation, is_call ? R_X86_64_PLT32 : R_X86_64_PC32,
               relocation.is_external ? value - 4 : Sum(value, AddressOfPlace(relocation)));
        return absl::OkStatus();
      }
      case macho::kX86GotLoad:
      case macho::kX86Got:
        if (!is_distance || !relocation.is_external) return Unsupported(relocation);
        Append(relocation,
               relocation.type == macho::kX86Got ? R_X86_64_GOTPCREL : R_X86_64_REX_GOTPCRELX,
               value - 4);
        return absl::OkStatus();
      case macho::kX86ThreadLocal:
        return ThreadLocal(relocation);
      default:
        return Unsupported(relocation);
    }
  }

  absl::Status AddAArch64(const Relocation& relocation, int64_t addend) {
    switch (relocation.type) {
      case macho::kArmUnsigned:
        return AddAddress(relocation, R_AARCH64_ABS64, R_AARCH64_ABS32);
      case macho::kArmPointerToGot:
        if (!relocation.is_external || relocation.is_pc_relative != (relocation.size == 4)) break;
        // LLVM leaves in place what the distance counts from, which is the place.
        Append(relocation, relocation.is_pc_relative ? R_AARCH64_PREL32 : R_AARCH64_ABS64,
               /*addend=*/0, /*is_to_pointer=*/true);
        return absl::OkStatus();
      case macho::kArmThreadLocalPage21:
      case macho::kArmThreadLocalPageOffset12:
        return ThreadLocal(relocation);
      case macho::kArmBranch26: {
        const bool is_call = (InstructionAt(relocation) >> 31) != 0;
        return AddInstruction(relocation, is_call ? R_AARCH64_CALL26 : R_AARCH64_JUMP26, addend);
      }
      case macho::kArmPage21:
        return AddInstruction(relocation, R_AARCH64_ADR_PREL_PG_HI21, addend);
      case macho::kArmPageOffset12:
        return AddInstruction(relocation, PageOffsetType(InstructionAt(relocation)), addend);
      case macho::kArmGotLoadPage21:
        return AddInstruction(relocation, R_AARCH64_ADR_GOT_PAGE, addend);
      case macho::kArmGotLoadPageOffset12:
        return AddInstruction(relocation, R_AARCH64_LD64_GOT_LO12_NC, addend);
      default:
        break;
    }
    return Unsupported(relocation);
  }

  absl::Status AddInstruction(const Relocation& relocation, uint32_t type, int64_t addend) {
    if (relocation.size != 4 || !relocation.is_external || relocation.offset % 4 != 0) {
      return Unsupported(relocation);
    }
    Append(relocation, type, addend);
    return absl::OkStatus();
  }

  // An instruction that adds the low 12 bits, or loads or stores at an address with them. Those
  // that access more than a byte count in units of what they access.
  static uint32_t PageOffsetType(uint32_t instruction) {
    const bool is_access = (instruction & 0x3b000000) == 0x39000000;
    if (!is_access) return R_AARCH64_ADD_ABS_LO12_NC;
    const bool is_vector = (instruction & 0x04000000) != 0;
    switch (instruction >> 30) {
      case 0:
        // Of vector registers also those of 128 bits.
        return is_vector && (instruction & 0x00800000) != 0 ? R_AARCH64_LDST128_ABS_LO12_NC
                                                            : R_AARCH64_LDST8_ABS_LO12_NC;
      case 1:
        return R_AARCH64_LDST16_ABS_LO12_NC;
      case 2:
        return R_AARCH64_LDST32_ABS_LO12_NC;
      default:
        return R_AARCH64_LDST64_ABS_LO12_NC;
    }
  }

  absl::Status AddAddress(const Relocation& relocation, uint32_t type64, uint32_t type32) {
    if (relocation.is_pc_relative || relocation.size < 4) return Unsupported(relocation);
    Append(relocation, relocation.size == 8 ? type64 : type32, ValueAt(relocation));
    return absl::OkStatus();
  }

  absl::Status AddPair(const Relocation& first, const Relocation& second) {
    if (IsAddend(first)) {
      // 24 bits, with a sign. Only references by instructions have such an addend.
      const auto addend = static_cast<int32_t>(first.target << 8) >> 8;
      const bool takes_addend = second.type == macho::kArmBranch26 ||
                                second.type == macho::kArmPage21 ||
                                second.type == macho::kArmPageOffset12;
      return takes_addend ? Add(second, addend) : Unsupported(second);
    }
    const bool is_unsigned =
        second.type == (is_x86_ ? uint8_t{macho::kX86Unsigned} : uint8_t{macho::kArmUnsigned});
    if (!is_unsigned || first.is_pc_relative || second.is_pc_relative ||
        first.size != second.size || first.size < 4) {
      return Unsupported(second);
    }
    return AddDistance(first, second);
  }

  // What a relocation of a distance names: a section, and the offset in it that the value in place
  // counts from. No section if the symbol is in none.
  struct End {
    uint32_t section = 0;
    int64_t offset = 0;
    bool may_give_way = false;
  };
  absl::StatusOr<End> EndOf(const Relocation& relocation) const {
    End end;
    if (!relocation.is_external) {
      end.section = relocation.target;
      end.offset = Difference(0, AddressOf(relocation));
      return end;
    }
    const MachoFile::Symbol& symbol = file_.symbols()[relocation.target];
    if (symbol.is_for_debuggers()) return Damaged("a relocation names no symbol");
    if (!symbol.is_in_section()) return end;
    if (symbol.section == 0 || symbol.section > file_.sections().size()) {
      return Damaged("the section of a symbol is not in it");
    }
    end.section = symbol.section;
    end.offset = Difference(static_cast<int64_t>(symbol.value),
                            static_cast<int64_t>(file_.sections()[symbol.section - 1].address));
    end.may_give_way = symbol.is_external() && (symbol.description & macho::kWeakDefinition) != 0;
    return end;
  }

  // The value is `to` - `from` + what stands in place. It becomes a distance from the place if
  // `from` is in the place's section, and a number if both are in one section.
  absl::Status AddDistance(const Relocation& from, const Relocation& to) {
    FIRSTCALL_ASSIGN_OR_RETURN(const End begin, EndOf(from));
    FIRSTCALL_ASSIGN_OR_RETURN(const End end, EndOf(to));
    const int64_t value = ValueAt(to);
    const bool is_from_here = begin.section == number_;
    if (begin.section != 0 && begin.section == end.section && !(is_from_here && end.may_give_way)) {
      const int64_t distance = Sum(value, Difference(end.offset, begin.offset));
      std::memcpy(contents_.data() + to.offset, &distance, to.size);
      return absl::OkStatus();
    }
    if (!is_from_here) {
      return absl::UnimplementedError(
          absl::StrCat("symbol '", NameOf(to), "': its distance from '", NameOf(from),
                       "', which lies in another section, is not supported"));
    }
    const int64_t from_place = Difference(begin.offset, static_cast<int64_t>(to.offset));
    Append(to, DistanceType(file_.machine(), to.size), Difference(value, from_place));
    return absl::OkStatus();
  }

  int64_t AddressOfPlace(const Relocation& relocation) const {
    return static_cast<int64_t>(section_.address + relocation.offset);
  }

  // Sums of the numbers of a damaged object may be too large.
  static int64_t Sum(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
  static int64_t Difference(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  }

  const MachoFile& file_;
  const uint32_t number_;
  const MachoFile::Section& section_;
  std::string& contents_;
  const bool is_x86_;
  std::vector<MachoReference> references_;
};

}  // namespace

uint32_t DistanceType(Machine machine, size_t size) {
  if (machine == Machine::kX86_64) return size == 8 ? R_X86_64_PC64 : R_X86_64_PC32;
  return size == 8 ? R_AARCH64_PREL64 : R_AARCH64_PREL32;
}

absl::StatusOr<std::vector<MachoReference>> ReadMachoReferences(const MachoFile& file,
                                                                uint32_t number,
                                                                std::string& contents) {
  return ReferenceReader(file, number, contents).Read();
}

}  // namespace firstcall
