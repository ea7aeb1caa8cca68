// Damaged Mach-O objects: whatever their bytes are, they are refused, or become ELF objects that
// are refused or loaded without reading or writing where nothing is. Only the sanitizers notice
// everything.

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "object/macho_to_elf.h"
#include "tests/object/linking.h"
#include "tests/testing/macho.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr char kModule[] = R"(
  @own = global i32 1
  @tentative = common global i64 0
  @zero = global [4 x i64] zeroinitializer
  @outside = external global i32
  @text = private unnamed_addr constant [5 x i8] c"text\00"
  @pointer = global ptr @text
  @distance = constant i32 trunc (i64 sub (i64 ptrtoint (ptr @own to i64),
                                           i64 ptrtoint (ptr @distance to i64)) to i32)
  @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]
      [{ i32, ptr, ptr } { i32 7, ptr @construct, ptr null }]
  declare void @far(i32)
  declare extern_weak void @maybe()
  declare i32 @__gxx_personality_v0(...)
  define internal void @construct() { ret void }
  define weak double @f(double %x, i32 %i) uwtable personality ptr @__gxx_personality_v0 {
    invoke void @far(i32 %i) to label %fine unwind label %caught
  fine:
    call void @maybe()
    %v = load i32, ptr @outside
    store i32 %v, ptr @own
    %y = fadd double %x, 1.25
    ret double %y
  caught:
    %e = landingpad { ptr, i32 } catch ptr @outside
    ret double %x
  }
)";

class MachoDamageTest : public ElfLinking, public ::testing::WithParamInterface<absl::string_view> {
 protected:
  MachoDamageTest() : whole_(CompileToMacho(kModule, GetParam())) {}

  // True if it becomes an ELF object. That is read and loaded, but not run. The bytes are at the
  // end of memory of their own, so that the sanitizer sees what is behind.
  bool Try(const std::string& bytes) {
    std::unique_ptr<char[]> copy(new char[bytes.size()]);
    std::copy(bytes.begin(), bytes.end(), copy.get());
    absl::StatusOr<ObjectBytes> elf = MachoToElf({copy.get(), bytes.size()});
    if (!elf.ok()) return false;
    absl::StatusOr<std::unique_ptr<ElfObject>> object =
        ElfObject::Parse(absl::MakeSpan(*elf), "test.o");
    if (!object.ok()) return true;
    (*object)->LifecyclePointers().IgnoreError();
    (*object)->NearSymbols().IgnoreError();
    SymbolResolution resolution;
    for (const ElfObject::Undefined& symbol : (*object)->undefined()) {
      resolution.emplace(symbol.name, arenas_->near_first());
    }
    absl::StatusOr<SymbolAddresses> defined = Load(**object);
    if (defined.ok()) linker_.Bind(resolution).IgnoreError();
    linker_.Drop();
    return true;
  }

  const std::string whole_;
};

INSTANTIATE_TEST_SUITE_P(All, MachoDamageTest, ::testing::Values(kX86_64Macho, kAArch64Macho),
                         [](const auto& info) {
                           return info.param == kX86_64Macho ? "X86" : "Arm";
                         });

TEST_P(MachoDamageTest, WholeObjectBecomesElf) { EXPECT_TRUE(Try(whole_)); }

TEST_P(MachoDamageTest, TruncatedObjectsAreRefused) {
  for (size_t size = 0; size < whole_.size(); ++size) Try(whole_.substr(0, size));
  EXPECT_FALSE(Try(whole_.substr(0, whole_.size() / 2)));
  EXPECT_FALSE(Try(""));
}

TEST_P(MachoDamageTest, EveryByteMayBeWrong) {
  for (size_t at = 0; at < whole_.size(); ++at) {
    for (int change : {0x01, 0x10, 0x80, 0xff}) {
      std::string damaged = whole_;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      Try(damaged);
    }
  }
  EXPECT_EQ(arenas_->usage().used.total(), 0u);
}

TEST_P(MachoDamageTest, SeveralBytesMayBeWrong) {
  const char* const interesting = "\0\1\2\4\x10\x7f\x80\xff";
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    std::string damaged = whole_;
    const size_t count = 1 + random() % 16;
    for (size_t i = 0; i < count; ++i) {
      damaged[random() % damaged.size()] = interesting[random() % 8];
    }
    SCOPED_TRACE(seed);
    Try(damaged);
  }
  EXPECT_EQ(arenas_->usage().used.total(), 0u);
}

}  // namespace
}  // namespace firstcall
