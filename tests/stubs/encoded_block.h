// What the tests of all encoders share: a block at each of some places, as LLVM sees it.

#ifndef FIRSTCALL_TESTS_STUBS_ENCODED_BLOCK_H_
#define FIRSTCALL_TESTS_STUBS_ENCODED_BLOCK_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "memory/executor_address.h"
#include "stubs/stub_architecture.h"
#include "tests/stubs/disassembler.h"

namespace firstcall::testing {

struct NamedPlacement {
  const char* name;
  StubBlockPlacement placement;

  friend void PrintTo(const NamedPlacement& placement, std::ostream* out) {
    *out << placement.name;
  }
};

constexpr ExecutorAddress At(uint64_t address) { return ExecutorAddress(address); }

class EncodedBlockTest : public ::testing::TestWithParam<NamedPlacement> {
 protected:
  // `return_address` as in UnwindTable.
  EncodedBlockTest(const StubArchitecture& architecture, Disassembler disassembler,
                   llvm::Triple::ArchType llvm_architecture, uint32_t return_address)
      : architecture_(architecture),
        disassembler_(std::move(disassembler)),
        table_(table_bytes_, llvm_architecture, return_address),
        counter_table_(counter_table_bytes_, llvm_architecture, return_address) {}

  // How the tests write an instruction.
  virtual std::string Describe(const Instruction& instruction) const {
    return disassembler_.Text(instruction);
  }

  // The instructions of `size` bytes of the stubs' code from an offset on.
  std::vector<std::string> CodeTexts(uint64_t begin, uint64_t size) const {
    return Texts(code_, begin, size);
  }

  // The same of the counters' code.
  std::vector<std::string> CounterTexts(uint64_t begin, uint64_t size) const {
    return Texts(counters_, begin, size);
  }

  const StubBlockLayout& layout() const { return architecture_.layout; }
  const CallCounterLayout& counter_layout() const { return architecture_.counter_layout; }

  // Addresses of the block's code.
  uint64_t Stubs() const { return placement_.code.value(); }
  uint64_t Leads() const { return Stubs() + layout().LeadOffset(placement_.count, 0); }
  uint64_t Tail() const { return Stubs() + layout().TailOffset(placement_.count); }
  uint64_t End() const { return Stubs() + layout().CodeSize(placement_.count); }

  // Of the block of counters, which lies at the same place.
  uint64_t CountersTail() const { return Stubs() + counter_layout().TailOffset(placement_.count); }

  const StubArchitecture& architecture_;
  const Disassembler disassembler_;
  const StubBlockPlacement& placement_ = GetParam().placement;
  const std::vector<uint8_t> code_ = architecture_.encode_block(placement_);
  const std::vector<uint8_t> table_bytes_ = architecture_.encode_unwind_table(placement_);
  const UnwindTable table_;

  // As many counters as stubs, in the same place, with the data aligned as they need it.
  const StubBlockPlacement counter_placement_ = {
      placement_.code, At((placement_.data.value() + 15) & ~uint64_t{15}), placement_.count};
  const std::vector<uint8_t> counters_ = architecture_.encode_counters(counter_placement_);
  const std::vector<uint8_t> counter_table_bytes_ =
      architecture_.encode_counter_unwind_table(counter_placement_);
  const UnwindTable counter_table_;

 private:
  std::vector<std::string> Texts(const std::vector<uint8_t>& code, uint64_t begin,
                                 uint64_t size) const {
    std::vector<std::string> texts;
    for (const Instruction& instruction : disassembler_.Range(code, Stubs(), begin, begin + size)) {
      texts.push_back(Describe(instruction));
    }
    return texts;
  }
};

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_STUBS_ENCODED_BLOCK_H_
