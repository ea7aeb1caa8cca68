#include "code/code_binder.h"

#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

// A section of 16 bytes and an undefined symbol, `other`.
CompiledCode CodeThatRefersTo(RelocationKind kind, int64_t addend) {
  CompiledCode code;
  code.sections.resize(1);
  code.sections[0].bytes.resize(16);
  code.names = "other";
  CodeSymbol& symbol = code.symbols.emplace_back();
  symbol.name_size = 5;
  code.relocations.push_back({0, 4, 0, kind, addend});
  return code;
}

struct Bound {
  absl::Status status;
  uint64_t value = 0;
};

Bound Bind(const CompiledCode& code, uint64_t place, absl::StatusOr<ExecutorAddress> found) {
  std::vector<uint8_t> bytes(16);
  const SectionPlacement placement = {bytes.data(), ExecutorAddress(place)};
  Bound bound;
  bound.status = BindCode(code, {placement}, [&](absl::string_view name) {
    EXPECT_EQ(name, "other");
    return found;
  });
  std::memcpy(&bound.value, bytes.data() + 4, 8);
  return bound;
}

TEST(CodeBinderTest, WritesAddressesAndDistances) {
  const ExecutorAddress target(0x20000);
  EXPECT_EQ(Bind(CodeThatRefersTo(RelocationKind::kAbsolute64, 3), 0x10000, target).value,
            0x20003u);
  EXPECT_EQ(Bind(CodeThatRefersTo(RelocationKind::kRelative32, -4), 0x10000, target).value,
            0x20000u - 0x10004 - 4);
  EXPECT_EQ(Bind(CodeThatRefersTo(RelocationKind::kRelative64, 0), 0x30000, target).value,
            uint64_t{0x20000} - 0x30004);
}

TEST(CodeBinderTest, RefersToItsOwnSections) {
  CompiledCode code = CodeThatRefersTo(RelocationKind::kAbsolute64, 1);
  code.symbols[0].is_defined = true;
  code.symbols[0].offset = 8;
  EXPECT_EQ(Bind(code, 0x10000, absl::InternalError("not asked")).value, 0x10009u);
}

TEST(CodeBinderTest, NamesWhatIsOutOfReach) {
  const Bound bound = Bind(CodeThatRefersTo(RelocationKind::kRelative32, 0), 0x10000,
                           ExecutorAddress(uint64_t{1} << 40));
  EXPECT_EQ(bound.status, absl::ResourceExhaustedError(
                              "bind code: 'other' is out of reach of a distance of 32 bits"));
}

TEST(CodeBinderTest, TakesAMissingWeakSymbolForNull) {
  CompiledCode code = CodeThatRefersTo(RelocationKind::kAbsolute64, 0);
  const absl::Status missing = absl::NotFoundError("no other");
  EXPECT_EQ(Bind(code, 0x10000, missing).status, missing);
  code.symbols[0].is_weak = true;
  EXPECT_EQ(Bind(code, 0x10000, missing).status, absl::OkStatus());
}

TEST(CodeBinderTest, RefusesPlacesOutsideOfTheSection) {
  CompiledCode code = CodeThatRefersTo(RelocationKind::kAbsolute64, 0);
  code.relocations[0].offset = 9;
  EXPECT_EQ(Bind(code, 0x10000, ExecutorAddress(1)).status,
            absl::InvalidArgumentError("bind code: a relocation is out of bounds"));
}

}  // namespace
}  // namespace firstcall
