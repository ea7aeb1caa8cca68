#include "ir/text.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/module.h"

namespace firstcall::ir {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// A module with a function `f` and some types, and an empty body of `f`.
class TextTest : public ::testing::Test {
 protected:
  TextTest() {
    NewGlobal f;
    f.name = "f";
    f.traits.kind = GlobalKind::kFunction;
    f.traits.type = pointer_;
    f.traits.value_type = function_type_;
    f.traits.attributes = module_.storage().AddAttributes();
    module_.AddGlobal(f);
    Constant address = Of(ConstantKind::kGlobal, pointer_);
    address.global = 0;
    Add(address);
    function_.Clear(module_, 0);
  }

  const Type* AddType(TypeKind kind, std::vector<const Type*> contained = {}, uint64_t count = 0,
                      uint32_t number = 0) {
    Type type;
    type.kind = kind;
    type.contained = module_.storage().Keep(std::move(contained));
    type.count = count;
    type.number = number;
    return module_.AddType(type);
  }

  static Constant Of(ConstantKind kind, const Type* type) {
    Constant constant;
    constant.kind = kind;
    constant.type = type;
    return constant;
  }
  Operand Add(const Constant& constant) {
    module_.mutable_constants().push_back(constant);
    return Operand::Constant(static_cast<uint32_t>(module_.constants().size() - 1));
  }
  Operand AddInteger(uint64_t bits) {
    Constant constant = Of(ConstantKind::kInteger, word_);
    constant.set_bits(bits);
    return Add(constant);
  }
  Operand AddOf(ConstantKind kind, const Type* type, std::vector<Operand> operands) {
    Constant constant = Of(kind, type);
    constant.set_operands(module_.storage().Keep(std::move(operands)));
    return Add(constant);
  }
  // The text of a constant.
  std::string InText(const Constant& constant) { return InText(Add(constant)); }
  std::string InText(Operand operand) {
    module_.mutable_traits(0).prefix_data = operand;
    std::string text = TextOf(module_);
    text.pop_back();
    return text.substr(text.find(" prefix=") + 8);
  }

  void BeginBlock() {
    function_.blocks.emplace_back().first_instruction =
        static_cast<uint32_t>(function_.instructions.size());
  }
  // Appends `instruction`, with a result if its type is not void.
  void Append(Instruction instruction, const Type* type, const std::vector<Operand>& operands,
              const std::vector<uint32_t>& targets = {}) {
    const auto number = static_cast<uint32_t>(function_.instructions.size());
    instruction.type = type;
    instruction.block = static_cast<uint32_t>(function_.blocks.size() - 1);
    instruction.first_operand = static_cast<uint32_t>(function_.operands.size());
    instruction.operand_count = static_cast<uint32_t>(operands.size());
    function_.operands.insert(function_.operands.end(), operands.begin(), operands.end());
    instruction.first_target = static_cast<uint32_t>(function_.targets.size());
    instruction.target_count = static_cast<uint32_t>(targets.size());
    function_.targets.insert(function_.targets.end(), targets.begin(), targets.end());
    if (!type->IsVoid()) {
      instruction.value = static_cast<uint32_t>(function_.values.size());
      function_.values.emplace_back().type = type;
      function_.values.back().instruction = number;
    }
    function_.instructions.push_back(instruction);
    ++function_.blocks.back().instruction_count;
  }
  void Append(Opcode opcode, const Type* type, const std::vector<Operand>& operands,
              const std::vector<uint32_t>& targets = {}) {
    Instruction instruction;
    instruction.opcode = opcode;
    Append(instruction, type, operands, targets);
  }
  // The text of the only instruction, without its number.
  std::string TextOfInstruction() {
    std::string text = TextOf(function_);
    text.pop_back();
    return text.substr(text.find("  0: ") + 5);
  }

  Module module_;
  const Type* const void_ = AddType(TypeKind::kVoid);
  const Type* const byte_ = AddType(TypeKind::kInteger, {}, 0, 8);
  const Type* const word_ = AddType(TypeKind::kInteger, {}, 0, 32);
  const Type* const pointer_ = AddType(TypeKind::kPointer);
  const Type* const function_type_ = AddType(TypeKind::kFunction, {word_, word_, pointer_});
  Function function_;
};

TEST_F(TextTest, Types) {
  EXPECT_EQ(TextOf(*void_), "void");
  EXPECT_EQ(TextOf(*word_), "i32");
  EXPECT_EQ(TextOf(*pointer_), "ptr");
  EXPECT_EQ(TextOf(*AddType(TypeKind::kPointer, {}, 0, 3)), "ptr addrspace(3)");
  EXPECT_EQ(TextOf(*function_type_), "i32 (i32, ptr)");
  EXPECT_EQ(TextOf(*AddType(TypeKind::kArray, {byte_}, 3)), "[3 x i8]");
  EXPECT_EQ(TextOf(*AddType(TypeKind::kFixedVector, {byte_}, 4)), "<4 x i8>");
  EXPECT_EQ(TextOf(*AddType(TypeKind::kScalableVector, {byte_}, 4)), "<vscale x 4 x i8>");
  EXPECT_EQ(TextOf(*AddType(TypeKind::kX86Fp80)), "x86_fp80");
  EXPECT_EQ(TextOf(*AddType(TypeKind::kOpaqueStruct)), "opaque");
  Type structure;
  structure.kind = TypeKind::kStruct;
  structure.contained = module_.storage().Keep(std::vector<const Type*>{byte_, word_});
  EXPECT_EQ(TextOf(structure), "{ i8, i32 }");
  structure.is_packed = true;
  EXPECT_EQ(TextOf(structure), "<{ i8, i32 }>");
  structure.is_literal = false;
  EXPECT_EQ(TextOf(structure), "named <{ i8, i32 }>");
  Type variadic = *function_type_;
  variadic.is_variadic = true;
  EXPECT_EQ(TextOf(variadic), "i32 (i32, ptr, ...)");
}

TEST_F(TextTest, TextsOfNestedTypesAreBounded) {
  Type opaque;
  opaque.kind = TypeKind::kOpaqueStruct;
  Type* const self = module_.AddType(opaque);
  module_.Complete(self, {self, self}, false);
  const std::string text = TextOf(*self);
  EXPECT_THAT(text, HasSubstr("{ ..., ... }"));
  EXPECT_LT(text.size(), size_t{100} << 20);
}

TEST_F(TextTest, Constants) {
  EXPECT_EQ(InText(AddInteger(uint64_t{0} - 5)), "i32 -5");
  Constant wide = Of(ConstantKind::kInteger, AddType(TypeKind::kInteger, {}, 0, 128));
  wide.set_words(module_.storage().Keep(std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(InText(wide), "i128 0x00000000000000020000000000000001");
  Constant number = Of(ConstantKind::kFloat, AddType(TypeKind::kDouble));
  number.set_bits(0x3ff0000000000000);
  EXPECT_EQ(InText(number), "double 0x3ff0000000000000");
  EXPECT_EQ(InText(Of(ConstantKind::kNull, pointer_)), "ptr null");
  EXPECT_EQ(InText(Of(ConstantKind::kUndef, word_)), "i32 undef");
  EXPECT_EQ(InText(Of(ConstantKind::kPoison, word_)), "i32 poison");
  EXPECT_EQ(InText(Of(ConstantKind::kInlineAssembly, pointer_)), "ptr asm");
  Constant assembly = Of(ConstantKind::kEmptyAssembly, pointer_);
  assembly.set_data("=r,0");
  EXPECT_EQ(InText(assembly), "ptr empty asm \"=r,0\"");
  EXPECT_EQ(InText(Of(ConstantKind::kMetadata, nullptr)), "no-type metadata");
  EXPECT_EQ(InText(Of(ConstantKind::kOther, word_)), "i32 other");
  Constant data = Of(ConstantKind::kData, AddType(TypeKind::kArray, {byte_}, 3));
  data.set_data(absl::string_view("a\"\0", 3));
  EXPECT_EQ(InText(data), "[3 x i8] data \"a\\\"\\x00\"");
}

TEST_F(TextTest, ConstantsOfGlobals) {
  EXPECT_EQ(InText(Operand::Constant(0)), "ptr @f");
  for (const auto& [kind, text] :
       {std::make_pair(ConstantKind::kDsoLocalEquivalent, "ptr dso_local_equivalent @f"),
        std::make_pair(ConstantKind::kNoCfi, "ptr no_cfi @f")}) {
    Constant constant = Of(kind, pointer_);
    constant.global = 0;
    EXPECT_EQ(InText(constant), text);
  }
  Constant block = Of(ConstantKind::kBlockAddress, pointer_);
  block.global = 0;
  block.set_bits(7);
  EXPECT_EQ(InText(block), "ptr blockaddress(@f, bb7)");
  module_.mutable_globals()[0].name = "a b";
  EXPECT_EQ(InText(Operand::Constant(0)), "ptr @\"a b\"");
  module_.mutable_globals()[0].name = "";
  EXPECT_EQ(InText(Operand::Constant(0)), "ptr @#0");
}

TEST_F(TextTest, NestedConstants) {
  Constant address = Of(ConstantKind::kExpression, pointer_);
  address.opcode = Opcode::kGetElementPtr;
  address.set_source_type(byte_);
  address.set_operands(
      module_.storage().Keep(std::vector<Operand>{Operand::Constant(0), AddInteger(4)}));
  const Type* const pair = AddType(TypeKind::kStruct, {pointer_, word_});
  const Operand aggregate = AddOf(ConstantKind::kAggregate, pair, {Add(address), AddInteger(1)});
  EXPECT_EQ(InText(aggregate), "{ ptr, i32 } { ptr getelementptr(i8, ptr @f, i32 4), i32 1 }");
  Constant cast = Of(ConstantKind::kExpression, word_);
  cast.opcode = Opcode::kPtrToInt;
  cast.set_operands(module_.storage().Keep(std::vector<Operand>{Operand::Constant(0)}));
  EXPECT_EQ(InText(cast), "i32 ptrtoint(ptr @f)");
}

TEST_F(TextTest, TextsOfNestedConstantsAreBounded) {
  const Type* const pair = AddType(TypeKind::kStruct, {word_, word_});
  Operand operand = AddInteger(1);
  for (int i = 0; i < 100; ++i) {
    operand = AddOf(ConstantKind::kAggregate, pair, {operand, operand});
  }
  const std::string text = InText(operand);
  EXPECT_THAT(text, HasSubstr("{ ..., ... }"));
  EXPECT_LT(text.size(), size_t{200} << 20);

  // What follows in other lines is still there.
  NewGlobal other;
  other.name = "other";
  other.initializer = AddInteger(77);
  module_.AddGlobal(other);
  EXPECT_THAT(TextOf(module_), EndsWith(" initializer=i32 77\n"));
}

TEST_F(TextTest, ModuleAndFunctionsInIt) {
  module_.set_triple("x86_64-pc-linux-gnu");
  module_.set_has_assembly();
  module_.mutable_flags().push_back({"PIC Level", 2, false, {}});
  module_.mutable_flags().push_back({"target-abi", 0, true, "a \"b\""});
  module_.mutable_comdats().push_back({"z", 1});
  module_.mutable_comdats().push_back({"f", 3});
  module_.mutable_globals()[0].comdat = 1;
  GlobalTraits& f = module_.mutable_traits(0);
  f.linkage = Linkage::kLinkOnceOdr;
  f.visibility = Visibility::kHidden;
  f.is_dso_local = true;
  f.is_declaration = false;
  f.has_debug_information = true;
  f.has_unknown = true;
  f.convention = kConventionFast;
  f.intrinsic = IntrinsicId::kAbs;
  f.address_space = 1;
  f.alignment = 16;
  f.unnamed_address = UnnamedAddress::kLocal;
  f.section = ".text.f";
  f.collector = "shadow";
  f.personality = Operand::Constant(0);
  f.prologue_data = AddInteger(9);
  module_.FindUsesByData();
  EXPECT_EQ(TextOf(module_),
            "triple \"x86_64-pc-linux-gnu\"\n"
            "prefix=0 alloca_addrspace=0 program_addrspace=0\n"
            "assembly\n"
            "flag \"PIC Level\" = 2\n"
            "flag \"target-abi\" = \"a \\\"b\\\"\"\n"
            "comdat $\"f\" selection=3\n"
            "comdat $\"z\" selection=1\n"
            "@f = function linkonce_odr hidden local_unnamed_addr dso_local debug unknown cc8 "
            "intrinsic=2 addrspace=1 align=16 ptr to i32 (i32, ptr) section=\".text.f\" "
            "gc=\"shadow\" $\"f\" selection=3 used_by_data personality=ptr @f prologue=i32 9\n");
}

TEST_F(TextTest, VariablesAndAliases) {
  NewGlobal variable;
  variable.name = "v";
  variable.traits.type = pointer_;
  variable.traits.value_type = word_;
  variable.traits.linkage = Linkage::kInternal;
  variable.traits.thread_local_mode = ThreadLocalMode::kInitialExec;
  variable.traits.unnamed_address = UnnamedAddress::kGlobal;
  variable.traits.is_declaration = false;
  variable.traits.is_constant = true;
  variable.traits.is_externally_initialized = true;
  const std::vector<StringAttribute> strings = {{"bss-section", "x"}};
  variable.traits.variable_attributes.strings = strings;
  variable.initializer = AddInteger(5);
  module_.AddGlobal(variable);
  NewGlobal alias;
  alias.traits.kind = GlobalKind::kAlias;
  alias.traits.type = pointer_;
  alias.traits.value_type = word_;
  alias.initializer = Operand::Constant(0);
  module_.AddGlobal(alias);
  EXPECT_THAT(TextOf(module_),
              EndsWith("@v = variable internal initialexec unnamed_addr constant "
                       "externally_initialized ptr to i32 variable(\"bss-section\"=\"x\") "
                       "initializer=i32 5\n"
                       "@#2 = alias declaration external ptr to i32 initializer=ptr @f\n"));
}

TEST_F(TextTest, Attributes) {
  AttributeList list;
  list.function.kinds = uint64_t{1} << static_cast<int>(Attribute::kNoUnwind);
  const std::vector<StringAttribute> strings = {{"b", "1"}, {"a", ""}};
  list.function.strings = strings;
  list.result.kinds = uint64_t{1} << static_cast<int>(Attribute::kZExt);
  list.parameters.resize(3);
  AttributeSet& parameter = list.parameters[1];
  parameter.kinds = uint64_t{1} << static_cast<int>(Attribute::kByVal) |
                    uint64_t{1} << static_cast<int>(Attribute::kAlign);
  parameter.alignment = 8;
  parameter.stack_alignment = 32;
  parameter.type = word_;
  list.anywhere = list.function.kinds | list.result.kinds | parameter.kinds;
  module_.mutable_traits(0).attributes = &list;
  const std::string expected =
      " function(nounwind, \"b\"=\"1\", \"a\"=\"\") result(zeroext) "
      "parameter1(byval, align, alignment=8, stack_alignment=32, type=i32)";
  EXPECT_THAT(TextOf(module_), EndsWith(expected + "\n"));
  list.anywhere = 0x10;
  EXPECT_THAT(TextOf(module_), EndsWith(expected + " anywhere=0x10\n"));
}

TEST_F(TextTest, Body) {
  function_.AddArgument(word_);
  function_.AddArgument(pointer_);
  const Operand a = Operand::Value(0), b = Operand::Value(1);
  BeginBlock();
  Instruction add;
  add.opcode = Opcode::kAdd;
  add.no_signed_wrap = true;
  Append(add, word_, {a, AddInteger(1)});
  Append(Opcode::kBr, void_, {}, {1});
  BeginBlock();
  function_.blocks[1].has_address_taken = true;
  Append(Opcode::kPhi, word_, {Operand::Value(2), Operand::Value(3)}, {0, 1});
  Append(Opcode::kBr, void_, {Operand::Value(3)}, {1, 2});
  BeginBlock();
  Append(Opcode::kStore, void_, {b, Operand::Value(3)});
  Append(Opcode::kRet, void_, {a});
  function_.CountUses();
  const std::string expected =
      "function @f: i32 (i32, ptr)\n"
      "%0 = argument i32 ; 2 uses in 0..5\n"
      "%1 = argument ptr ; 1 use in 4..4\n"
      "bb0:\n"
      "  0: %2 = add nsw i32 %0, i32 1 ; 1 use in 2..2\n"
      "  1: br void to bb1\n"
      "bb1: address_taken\n"
      "  2: %3 = phi i32 %2, %3 from bb0, bb1 ; 3 uses in 2..4\n"
      "  3: br void %3 to bb1, bb2\n"
      "bb2:\n"
      "  4: store align=2^0 void %1, %3\n"
      "  5: ret void %0\n";
  EXPECT_EQ(TextOf(function_), expected);
  function_.has_debug_information = function_.has_unknown = true;
  EXPECT_THAT(TextOf(function_), HasSubstr("function @f: i32 (i32, ptr) debug unknown\n"));
}

TEST_F(TextTest, ConstantsOfTheFunction) {
  BeginBlock();
  Constant constant = Of(ConstantKind::kInteger, word_);
  constant.set_bits(42);
  function_.constants.push_back(constant);
  Append(Opcode::kRet, void_,
         {Operand::Constant(static_cast<uint32_t>(module_.constants().size()))});
  EXPECT_EQ(TextOfInstruction(), "ret void i32 42");
}

// Each flag of instructions shows.
TEST_F(TextTest, Flags) {
  BeginBlock();
  Append(Opcode::kFreeze, void_, {});
  Instruction& instruction = function_.instructions[0];
  instruction.is_volatile = instruction.is_inbounds = instruction.is_cleanup = true;
  EXPECT_EQ(TextOfInstruction(), "freeze volatile inbounds cleanup void");
  instruction = Instruction();
  instruction.type = void_;
  instruction.is_inalloca = instruction.is_swift_error = instruction.no_unsigned_wrap = true;
  EXPECT_EQ(TextOfInstruction(), "unreachable inalloca swifterror nuw void");
  instruction = Instruction();
  instruction.type = void_;
  instruction.is_exact = instruction.is_weak = instruction.has_unknown = true;
  instruction.fast_math = 0x7f;
  instruction.alignment_log = 3;
  instruction.source_type = byte_;
  EXPECT_EQ(TextOfInstruction(), "unreachable exact weak unknown fast=0x7f align=2^3 void of i8");
  instruction = Instruction();
  instruction.type = void_;
  instruction.is_singlethread = instruction.has_other_scope = true;
  instruction.ordering = static_cast<uint8_t>(Ordering::kAcquireRelease);
  instruction.failure_ordering = static_cast<uint8_t>(Ordering::kMonotonic);
  instruction.code = 9;
  EXPECT_EQ(TextOfInstruction(),
            "unreachable code=9 singlethread other_scope acq_rel failure=monotonic void");
}

TEST_F(TextTest, CodesAndTargets) {
  BeginBlock();
  Append(Opcode::kICmp, void_, {}, {1, 0});
  Instruction& instruction = function_.instructions[0];
  instruction.code = static_cast<uint8_t>(Predicate::kIcmpSlt);
  EXPECT_EQ(TextOfInstruction(), "icmp slt void to bb1, bb0");
  instruction.opcode = Opcode::kFCmp;
  instruction.code = static_cast<uint8_t>(Predicate::kUno);
  EXPECT_EQ(TextOfInstruction(), "fcmp uno void to bb1, bb0");
  instruction.opcode = Opcode::kAtomicRmw;
  instruction.code = static_cast<uint8_t>(AtomicOperation::kUMax);
  EXPECT_EQ(TextOfInstruction(), "atomicrmw umax align=2^0 void to bb1, bb0");
  instruction.code = 200;
  EXPECT_EQ(TextOfInstruction(), "atomicrmw unknown align=2^0 void to bb1, bb0");
  instruction.code = 0;
  instruction.opcode = Opcode::kExtractValue;
  EXPECT_EQ(TextOfInstruction(), "extractvalue void at 1, 0");
  instruction.opcode = Opcode::kLandingPad;
  EXPECT_EQ(TextOfInstruction(), "landingpad void kinds 1, 0");
}

TEST_F(TextTest, Calls) {
  AttributeList none, cold;
  cold.function.kinds = cold.anywhere = uint64_t{1} << static_cast<int>(Attribute::kCold);
  function_.AddArgument(word_);
  BeginBlock();
  Call call;
  call.function_type = function_type_;
  call.attributes = &none;
  call.argument_count = 2;
  function_.calls.push_back(call);
  Instruction instruction;
  instruction.opcode = Opcode::kCall;
  instruction.call = 0;
  Append(instruction, word_, {Operand::Value(0), AddInteger(3), Operand::Constant(0)});
  function_.values[1].uses = 5;
  EXPECT_EQ(TextOfInstruction(), "%1 = call i32 ptr @f(%0, i32 3) as i32 (i32, ptr) ; 5 uses");
  Call& other = function_.calls[0];
  other.attributes = &cold;
  other.convention = 78;
  other.is_tail = other.is_must_tail = other.is_no_tail = other.has_bundles = true;
  other.argument_count = 1;
  EXPECT_EQ(TextOfInstruction(),
            "%1 = call i32 cc78 tail musttail notail bundles ptr @f(%0, i32 3) as i32 (i32, ptr) "
            "arguments=1 function(cold) ; 5 uses");
}

TEST_F(TextTest, Contradictions) {
  function_.AddArgument(word_);
  BeginBlock();
  Append(Opcode::kFreeze, word_, {Operand::Value(0)});
  EXPECT_EQ(TextOfInstruction(), "%1 = freeze i32 %0 ; 0 uses");
  function_.instructions[0].block = 4;
  function_.values[1].type = byte_;
  function_.values[1].instruction = 7;
  EXPECT_EQ(TextOfInstruction(), "%1 = freeze i32 %0 ; 0 uses ; block=4 ; definition=7 ; type=i8");
  function_.instructions.emplace_back();
  function_.values.emplace_back();
  function_.values[0].instruction = 3;
  EXPECT_THAT(TextOf(function_), HasSubstr("; 0 uses ; definition=3\n"));
  EXPECT_THAT(TextOf(function_), EndsWith("\n; instructions=2\n; values=3\n"));
}

}  // namespace
}  // namespace firstcall::ir
