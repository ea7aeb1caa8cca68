#include "ir/data_layout.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "llvm/IR/AutoUpgrade.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/testing/status_matchers.h"
#include "third_party/llvm/version/types.h"

namespace firstcall::ir {
namespace {

using ::testing::HasSubstr;

constexpr absl::string_view kLayouts[] = {
    "",
    // Linux, macOS and Windows on x86-64, by several LLVMs.
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128",
    "e-m:e-i64:64-f80:128-n8:16:32:64-S128",
    "e-m:o-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    "e-m:w-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    // AArch64.
    "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32",
    "e-m:o-i64:64-i128:128-n32:64-S128-Fn32",
    "e-m:o-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-n32:64-S128-Fn32",
    // Other machines.
    "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128",
    "e-m:e-v128:64:128-a:8:16-n32:64",
    "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-"
    "p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-"
    "v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9",
    // Rules that no machine has.
    "e-a:64",
    "e-a0:0:32",
    "e-a:32:256-i1:16-i24:32:64-i64:64-i256:512",
    "e-f16:32-f32:64:128-f64:32-f80:32-f128:64",
    "e-v8:64-v64:32:128-v80:128-v128:256",
    "e-p:64:32:128-p1:48:64-p16777215:8:8",
    "E-s0:64:64-e-P3-A4-S8-Fi8-n8",
};

// Converts types of LLVM to types of a module.
class Converter {
 public:
  explicit Converter(Module& module) : module_(module) {}

  Type* Convert(llvm::Type* type) {
    Type converted;
    std::vector<const Type*> contained;
    for (llvm::Type* part : type->subtypes()) contained.push_back(Convert(part));
    converted.contained = module_.storage().Keep(std::move(contained));
    converted.kind = KindOf(type);
    if (type->isIntegerTy()) converted.number = type->getIntegerBitWidth();
    if (type->isPointerTy()) converted.number = type->getPointerAddressSpace();
    if (type->isArrayTy()) converted.count = type->getArrayNumElements();
    if (auto* vector = llvm::dyn_cast<llvm::VectorType>(type)) {
      converted.count = vector->getElementCount().getKnownMinValue();
    }
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
      converted.is_packed = structure->isPacked();
    }
    return module_.AddType(converted);
  }

 private:
  static TypeKind KindOf(llvm::Type* type) {
    if (llvm_version::IsX86Mmx(*type)) return TypeKind::kX86Mmx;
    switch (type->getTypeID()) {
      case llvm::Type::HalfTyID:
        return TypeKind::kHalf;
      case llvm::Type::BFloatTyID:
        return TypeKind::kBFloat;
      case llvm::Type::FloatTyID:
        return TypeKind::kFloat;
      case llvm::Type::DoubleTyID:
        return TypeKind::kDouble;
      case llvm::Type::X86_FP80TyID:
        return TypeKind::kX86Fp80;
      case llvm::Type::FP128TyID:
        return TypeKind::kFp128;
      case llvm::Type::PPC_FP128TyID:
        return TypeKind::kPpcFp128;
      case llvm::Type::X86_AMXTyID:
        return TypeKind::kX86Amx;
      case llvm::Type::IntegerTyID:
        return TypeKind::kInteger;
      case llvm::Type::PointerTyID:
        return TypeKind::kPointer;
      case llvm::Type::StructTyID:
        return TypeKind::kStruct;
      case llvm::Type::ArrayTyID:
        return TypeKind::kArray;
      case llvm::Type::FixedVectorTyID:
        return TypeKind::kFixedVector;
      default:
        ADD_FAILURE() << "a type of another kind: " << type->getTypeID();
        return TypeKind::kVoid;
    }
  }

  Module& module_;
};

// Makes arbitrary types that have a size.
class TypeMaker {
 public:
  TypeMaker(llvm::LLVMContext& context, uint32_t seed) : context_(context), random_(seed) {}

  llvm::Type* Make(int depth) {
    switch (depth == 0 ? 0 : Below(4)) {
      case 0:
        return Below(3) == 0 ? MakeVector() : MakeScalar();
      case 1:
        return llvm::ArrayType::get(Make(depth - 1), Below(5));
      default: {
        std::vector<llvm::Type*> members(Below(6));
        for (llvm::Type*& member : members) member = Make(depth - 1);
        return llvm::StructType::get(context_, members, /*isPacked=*/Below(4) == 0);
      }
    }
  }

 private:
  uint32_t Below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }

  llvm::Type* MakeVector() {
    llvm::Type* const element = Below(4) == 0 ? llvm::PointerType::get(context_, Below(10))
                                              : MakeScalar(/*only_elements=*/true);
    return llvm::FixedVectorType::get(element, 1 + Below(Below(3) == 0 ? 200 : 9));
  }

  llvm::Type* MakeScalar(bool only_elements = false) {
    switch (Below(only_elements ? 9 : 11)) {
      case 0:
        return llvm::Type::getHalfTy(context_);
      case 1:
        return llvm::Type::getBFloatTy(context_);
      case 2:
        return llvm::Type::getFloatTy(context_);
      case 3:
        return llvm::Type::getDoubleTy(context_);
      case 4:
        return llvm::Type::getX86_FP80Ty(context_);
      case 5:
        return llvm::Type::getFP128Ty(context_);
      case 6:
        return llvm::Type::getPPC_FP128Ty(context_);
      case 7:
        return llvm::PointerType::get(context_, Below(3) == 0 ? 265 + Below(10) : Below(4));
      case 8:
        return llvm::Type::getIntNTy(context_, Below(2) == 0 ? 8u << Below(5) : 1 + Below(300));
      case 9:
        return llvm_version::X86Mmx(context_);
      default:
        return llvm::Type::getX86_AMXTy(context_);
    }
  }

  llvm::LLVMContext& context_;
  std::mt19937 random_;
};

std::string Printed(llvm::Type* type) {
  std::string text;
  llvm::raw_string_ostream(text) << *type;
  return text;
}

void CompareOffsets(const Type& type, llvm::StructType* structure, const llvm::DataLayout& layout) {
  ASSERT_EQ(type.offsets.size(), structure->getNumElements());
  for (unsigned i = 0; i < structure->getNumElements(); ++i) {
    EXPECT_EQ(type.offsets[i], layout.getStructLayout(structure)->getElementOffset(i)) << i;
  }
}

void Compare(const Type& type, const DataLayout& actual, llvm::Type* expected,
             llvm::Module& module) {
  const llvm::DataLayout& layout = module.getDataLayout();
  ASSERT_TRUE(type.is_sized);
  EXPECT_EQ(type.bit_size, layout.getTypeSizeInBits(expected).getFixedValue());
  EXPECT_EQ(type.store_size, layout.getTypeStoreSize(expected).getFixedValue());
  EXPECT_EQ(type.alloc_size, layout.getTypeAllocSize(expected).getFixedValue());
  EXPECT_EQ(type.alignment, layout.getABITypeAlign(expected).value());
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(expected)) {
    CompareOffsets(type, structure, layout);
  }
  auto* const variable =
      new llvm::GlobalVariable(module, expected, false, llvm::GlobalValue::ExternalLinkage,
                               llvm::UndefValue::get(expected), "variable");
  EXPECT_EQ(actual.PreferredAlignment(type), layout.getPreferredAlign(variable).value());
  variable->eraseFromParent();
}

TEST(DataLayoutTest, LaysTypesAsLlvmDoes) {
  llvm::LLVMContext context;
  for (absl::string_view text : kLayouts) {
    SCOPED_TRACE(text);
    ASSERT_OK_AND_ASSIGN(const DataLayout layout, DataLayout::Parse(text));
    llvm::Module expected("m", context);
    expected.setDataLayout(llvm::StringRef(text.data(), text.size()));
    Module module;
    module.set_layout(layout);
    Converter converter(module);
    TypeMaker maker(context, /*seed=*/1);
    for (int i = 0; i < 3000; ++i) {
      llvm::Type* const type = maker.Make(i % 5);
      SCOPED_TRACE(Printed(type));
      Compare(*converter.Convert(type), layout, type, expected);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
  }
}

TEST(DataLayoutTest, LaysIntegersOfAllWidths) {
  llvm::LLVMContext context;
  for (absl::string_view text : kLayouts) {
    SCOPED_TRACE(text);
    ASSERT_OK_AND_ASSIGN(const DataLayout layout, DataLayout::Parse(text));
    llvm::Module expected("m", context);
    expected.setDataLayout(llvm::StringRef(text.data(), text.size()));
    Module module;
    module.set_layout(layout);
    Converter converter(module);
    for (unsigned bits = 1; bits < 1100; ++bits) {
      llvm::Type* const type = llvm::Type::getIntNTy(context, bits);
      Compare(*converter.Convert(type), layout, type, expected);
      llvm::Type* const vector = llvm::FixedVectorType::get(type, 1 + bits % 7);
      Compare(*converter.Convert(vector), layout, vector, expected);
    }
    llvm::Type* const widest = llvm::Type::getIntNTy(context, (1 << 23) - 1);
    Compare(*converter.Convert(widest), layout, widest, expected);
  }
}

TEST(DataLayoutTest, SaysWhatTheTextSays) {
  ASSERT_OK_AND_ASSIGN(const DataLayout none, DataLayout::Parse(""));
  EXPECT_EQ(none.symbol_prefix(), 0);
  EXPECT_EQ(none.alloca_address_space(), 0);
  EXPECT_EQ(none.program_address_space(), 0);
  ASSERT_OK_AND_ASSIGN(const DataLayout macho, DataLayout::Parse("e-m:o-A5-P3"));
  EXPECT_EQ(macho.symbol_prefix(), '_');
  EXPECT_EQ(macho.alloca_address_space(), 5);
  EXPECT_EQ(macho.program_address_space(), 3);
  ASSERT_OK_AND_ASSIGN(const DataLayout elf, DataLayout::Parse("m:o-m:e"));
  EXPECT_EQ(elf.symbol_prefix(), 0);
}

TEST(DataLayoutTest, RefusesWhatItDoesNotKnow) {
  for (absl::string_view text :
       {"E", "e-E-m:e", "p:32:32", "e-p0:32:32", "p:64:64:64:32", "p:128:128", "e-q", "m:z", "ve",
        "pu1:64:64", "p(name):64:64", "Fx8", "eE", "e-i64:64-Z12"}) {
    EXPECT_THAT(DataLayout::Parse(text),
                StatusIs(absl::StatusCode::kUnimplemented, HasSubstr(absl::StrCat("'", text, "'"))))
        << text;
  }
}

TEST(DataLayoutTest, RefusesWhatIsNoDataLayout) {
  for (absl::string_view text : {"-",
                                 "e-",
                                 "e--i64:64",
                                 "i",
                                 "i64",
                                 "i64:",
                                 "i0:8",
                                 "i64:0",
                                 "i64:12",
                                 "i64:24",
                                 "i64:64:32",
                                 "i64:64:64:64",
                                 "i64:65536",
                                 "i8:16",
                                 "i16777216:8",
                                 "i:8",
                                 "i64:8x",
                                 "i6x:64",
                                 "v64: 64",
                                 "f64:+64",
                                 "a",
                                 "a8:8",
                                 "a:12",
                                 "a:64:32",
                                 "p",
                                 "p:64",
                                 "p:0:64",
                                 "p1:32:0",
                                 "p1:32:64:32",
                                 "p1:32:32:32:64",
                                 "p1:32:32:32:0",
                                 "p16777216:64:64",
                                 "p:64:64:64:64:64",
                                 "m",
                                 "m:",
                                 "n",
                                 "n8:",
                                 "n0",
                                 "ni",
                                 "ni:",
                                 "ni:0",
                                 "ni:1:x",
                                 "S",
                                 "S12",
                                 "Fi",
                                 "F",
                                 "A",
                                 "Ax",
                                 "P",
                                 "G",
                                 "i99999999999999999999:8"}) {
    EXPECT_THAT(DataLayout::Parse(text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr(absl::StrCat("reading the data layout '", text, "'"))))
        << text;
  }
}

// Changes every character, and leaves every one out.
TEST(DataLayoutTest, LlvmAcceptsWhatIsAccepted) {
  constexpr absl::string_view kOthers = "019-: epmiafvnSAPGFEo+x";
  int accepted = 0;
  const auto check = [&accepted](const std::string& text) {
    if (!DataLayout::Parse(text).ok()) return;
    llvm::Expected<llvm::DataLayout> expected = llvm::DataLayout::parse(text);
    if (!expected) ADD_FAILURE() << text << ": " << llvm::toString(expected.takeError());
    ++accepted;
  };
  for (absl::string_view layout : kLayouts) {
    for (size_t i = 0; i < layout.size(); ++i) {
      std::string text(layout);
      for (char other : kOthers) {
        text[i] = other;
        check(text);
      }
      text.erase(i, 1);
      check(text);
    }
  }
  EXPECT_GT(accepted, 100);
}

TEST(DataLayoutTest, UpgradesAsLlvmDoes) {
  for (absl::string_view triple :
       {"x86_64-pc-linux-gnu", "x86_64-unknown-linux-gnu", "amd64-unknown-freebsd",
        "x86_64-apple-macosx10.15.0", "x86_64h-apple-darwin", "x86_64-pc-windows-msvc",
        "x86_64-pc-elfiamcu", "aarch64-unknown-linux-gnu", "arm64-apple-macosx11.0.0",
        "arm64e-apple-ios", "aarch64", "x86_64", ""}) {
    std::vector<std::string> layouts(std::begin(kLayouts), std::end(kLayouts));
    for (const char* text :
         {"e", "e-m:e", "E-m:e-i64:64", "e-m:e-p:32:32", "e-m:e-p:32:32-i64:64-n8", "e-n8", "m:e",
          "e-n8-i64:64", "e-m:e-n8-p1:32:32", "e-i64:64-i128:128-m:e", "e-m:e-i64:64-Fn32-S128",
          "e-S128-m:o", "e-p:64:64-m:e-n8-S128", "e-m:e-ni:1-i64:64"}) {
      layouts.push_back(text);
    }
    for (const std::string& layout : layouts) {
      const llvm::StringRef name(triple.data(), triple.size());
      EXPECT_EQ(DataLayout::Upgraded(layout, triple), llvm::UpgradeDataLayoutString(layout, name))
          << triple << " with " << layout;
    }
  }
}

// Types without a layout.
class UnsizedTest : public ::testing::Test {
 protected:
  const Type* Add(TypeKind kind, std::vector<const Type*> contained = {}, uint64_t count = 0,
                  uint32_t number = 0) {
    Type type;
    type.kind = kind;
    type.contained = module_.storage().Keep(std::move(contained));
    type.count = count;
    type.number = number;
    return module_.AddType(type);
  }

  Module module_;
  const Type* const byte_ = Add(TypeKind::kInteger, {}, 0, 8);
};

TEST_F(UnsizedTest, KindsThatHaveNoSize) {
  for (TypeKind kind : {TypeKind::kVoid, TypeKind::kLabel, TypeKind::kMetadata, TypeKind::kToken,
                        TypeKind::kTargetExtension, TypeKind::kOpaqueStruct}) {
    const Type* const type = Add(kind);
    EXPECT_FALSE(type->is_sized);
    EXPECT_FALSE(Add(TypeKind::kArray, {type}, 2)->is_sized);
    EXPECT_FALSE(Add(TypeKind::kFixedVector, {type}, 2)->is_sized);
    const Type* const structure = Add(TypeKind::kStruct, {byte_, type, byte_});
    EXPECT_FALSE(structure->is_sized);
    EXPECT_TRUE(structure->offsets.empty());
  }
  EXPECT_FALSE(Add(TypeKind::kFunction, {byte_, byte_})->is_sized);
  EXPECT_FALSE(Add(TypeKind::kScalableVector, {byte_}, 4)->is_sized);
}

TEST_F(UnsizedTest, WhatNoTypeCanBe) {
  EXPECT_FALSE(Add(TypeKind::kInteger)->is_sized);
  EXPECT_FALSE(Add(TypeKind::kFixedVector, {byte_}, 0)->is_sized);
  EXPECT_FALSE(Add(TypeKind::kFixedVector, {Add(TypeKind::kStruct, {byte_})}, 2)->is_sized);
}

TEST_F(UnsizedTest, TooLarge) {
  constexpr uint64_t kLimit = uint64_t{1} << 61;
  EXPECT_TRUE(Add(TypeKind::kArray, {byte_}, kLimit - 1)->is_sized);
  EXPECT_FALSE(Add(TypeKind::kArray, {byte_}, kLimit)->is_sized);
  EXPECT_FALSE(Add(TypeKind::kArray, {byte_}, UINT64_MAX)->is_sized);
  const Type* const word = Add(TypeKind::kInteger, {}, 0, 32);
  EXPECT_TRUE(Add(TypeKind::kArray, {word}, kLimit / 4 - 1)->is_sized);
  EXPECT_FALSE(Add(TypeKind::kArray, {word}, kLimit / 4)->is_sized);
  EXPECT_FALSE(Add(TypeKind::kArray, {word}, UINT64_MAX / 4 + 2)->is_sized);
  EXPECT_TRUE(Add(TypeKind::kArray, {Add(TypeKind::kStruct)}, UINT64_MAX)->is_sized);

  const Type* const half = Add(TypeKind::kArray, {byte_}, kLimit / 2);
  EXPECT_TRUE(Add(TypeKind::kStruct, {half})->is_sized);
  const Type* const structure = Add(TypeKind::kStruct, {half, half});
  EXPECT_FALSE(structure->is_sized);
  EXPECT_TRUE(structure->offsets.empty());
  const Type* const most = Add(TypeKind::kArray, {byte_}, kLimit - 1);
  EXPECT_FALSE(Add(TypeKind::kStruct, {word, most})->is_sized);
  EXPECT_FALSE(Add(TypeKind::kStruct, {most, word})->is_sized);

  EXPECT_TRUE(Add(TypeKind::kFixedVector, {byte_}, (uint64_t{1} << 29) - 1)->is_sized);
  EXPECT_FALSE(Add(TypeKind::kFixedVector, {byte_}, uint64_t{1} << 29)->is_sized);
  EXPECT_FALSE(Add(TypeKind::kFixedVector, {byte_}, UINT64_MAX)->is_sized);
}

}  // namespace
}  // namespace firstcall::ir
