#include "tests/differential/stress_program.h"

#include <random>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "tests/differential/defined_behavior.h"

namespace firstcall::testing {
namespace {

constexpr int kBuffers = 3;
constexpr unsigned kMaxIterations = 20;  // of a function's loops, in one call
constexpr int kMaxCalls = 200;           // of all functions, between two reports
constexpr char kSignature[] = "(ptr, ptr, ptr, i32, i64, i8)";

// What all programs have in common, and report: prints a hash (FNV-1a) of the buffers.
constexpr char kReport[] = R"(
@format = private constant [8 x i8] c"%016lx\0A\00"
@last_hash = internal global i64 0
declare i32 @printf(ptr, ...)

define internal void @report() noinline {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %hash = phi i64 [ -3750763034362895579, %entry ], [ %product, %loop ]
  %address = getelementptr i8, ptr @buffers, i64 %i
  %byte = load i8, ptr %address
  %wide = zext i8 %byte to i64
  %mixed = xor i64 %hash, %wide
  %product = mul i64 %mixed, 1099511628211
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, SIZE
  br i1 %more, label %loop, label %print
print:
  %printed = call i32 (ptr, ...) @printf(ptr @format, i64 %product)
  store i64 %product, ptr @last_hash
  ret void
}
)";

std::string FunctionName(size_t i) { return absl::StrCat("f", i); }

std::string BufferAddress(int i) {
  return absl::StrFormat("ptr getelementptr (i8, ptr @buffers, i64 %d)", i * kStressBufferSize);
}

// Everything but the functions, which are declared.
std::string FrameText(size_t function_count, std::minstd_rand& random) {
  std::string text = "target triple = \"" + llvm::sys::getProcessTriple() + "\"\n";
  constexpr int size = kBuffers * kStressBufferSize;
  absl::StrAppendFormat(&text, "@buffers = global [%d x i8] c\"", size);
  for (int i = 0; i < size; ++i) absl::StrAppendFormat(&text, "\\%02X", random() % 256);
  absl::StrAppendFormat(&text, "\", align %d\n@calls_left = global i32 0\n", kStressBufferSize);
  absl::StrAppendFormat(&text, "@table = constant [%d x ptr] [", function_count);
  for (size_t i = 0; i < function_count; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", "ptr @", FunctionName(i));
  }
  text += "]\n";
  for (size_t i = 0; i < function_count; ++i) {
    absl::StrAppend(&text, "declare void @", FunctionName(i), kSignature, "\n");
  }
  std::string report = kReport;
  report.replace(report.find("SIZE"), 4, absl::StrCat(size));
  text += report + "define i32 @main() {\n";
  for (size_t i = 0; i < function_count; ++i) {
    absl::StrAppendFormat(&text, "  store i32 %d, ptr @calls_left\n  call void @%s(%s, %s, %s, ",
                          kMaxCalls, FunctionName(i), BufferAddress(0), BufferAddress(1),
                          BufferAddress(2));
    const int32_t number = static_cast<int32_t>(random());
    absl::StrAppendFormat(&text, "i32 %d, i64 %d, i8 %d)\n  call void @report()\n", number,
                          int64_t{number} * 1000003, static_cast<int8_t>(random()));
  }
  // Also an exit status that depends on all.
  text +=
      "  %hash = load i64, ptr @last_hash\n  %low = and i64 %hash, 63\n"
      "  %status = trunc i64 %low to i32\n  ret i32 %status\n}\n";
  return text;
}

absl::StatusOr<std::unique_ptr<llvm::Module>> Parse(const std::string& text,
                                                    llvm::LLVMContext& context) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssembly(llvm::MemoryBufferRef(text, "stress"), diagnostic, context);
  if (module != nullptr) return module;
  return absl::InvalidArgumentError(
      absl::StrCat("parse stress function: ", diagnostic.getMessage().str()));
}

// Makes `function` return at once when too many calls have been made.
void LimitCalls(llvm::Function& function) {
  llvm::Module& module = *function.getParent();
  llvm::BasicBlock& entry = function.getEntryBlock();
  auto* check =
      llvm::BasicBlock::Create(module.getContext(), "check", &function, /*InsertBefore=*/&entry);
  auto* give_up = llvm::BasicBlock::Create(module.getContext(), "give_up", &function);
  llvm::IRBuilder<> builder(check);
  llvm::Value* counter = module.getNamedGlobal("calls_left");
  llvm::Value* left = builder.CreateLoad(builder.getInt32Ty(), counter);
  builder.CreateStore(builder.CreateSub(left, builder.getInt32(1)), counter);
  builder.CreateCondBr(builder.CreateICmpSGT(left, builder.getInt32(0)), &entry, give_up);
  builder.SetInsertPoint(give_up);
  builder.CreateRetVoid();
}

// Calls a function, which may be the caller, with the caller's arguments in another order.
void InsertCall(llvm::Instruction* before, size_t function_count, std::minstd_rand& random) {
  llvm::Function& caller = *before->getFunction();
  llvm::Module& module = *caller.getParent();
  llvm::IRBuilder<> builder(before);
  const size_t callee_number = random() % function_count;
  llvm::Value* callee = module.getFunction(FunctionName(callee_number));
  if (random() % 2 == 0) {
    llvm::GlobalVariable* table = module.getNamedGlobal("table");
    callee = builder.CreateLoad(
        builder.getPtrTy(),
        builder.CreateConstInBoundsGEP2_64(table->getValueType(), table, 0, callee_number));
  }
  const unsigned turn = random() % kBuffers;
  std::vector<llvm::Value*> arguments;
  for (int i = 0; i < kBuffers; ++i) arguments.push_back(caller.getArg((i + turn) % kBuffers));
  for (unsigned i = kBuffers; i < caller.arg_size(); ++i) {
    llvm::Value* argument = caller.getArg(i);
    arguments.push_back(
        builder.CreateAdd(argument, llvm::ConstantInt::get(argument->getType(), random() % 100)));
  }
  builder.CreateCall(caller.getFunctionType(), callee, arguments);
}

}  // namespace

absl::StatusOr<std::unique_ptr<llvm::Module>> MakeStressProgram(
    const std::vector<std::string>& functions, uint32_t seed, llvm::LLVMContext& context) {
  std::minstd_rand random(seed + 1);
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::Module> program,
                             Parse(FrameText(functions.size(), random), context));
  for (size_t i = 0; i < functions.size(); ++i) {
    FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::Module> module, Parse(functions[i], context));
    if (module->size() != 1 || module->begin()->isDeclaration() ||
        module->begin()->getFunctionType() != program->getFunction("f0")->getFunctionType()) {
      return absl::InvalidArgumentError("parse stress function: not of llvm-stress");
    }
    llvm::Function& function = *module->begin();
    DefineBehavior(function, kMaxIterations);
    function.setName(FunctionName(i));
    if (llvm::Linker::linkModules(*program, std::move(module))) {
      return absl::InternalError("link stress functions");
    }
  }
  for (size_t i = 0; i < functions.size(); ++i) {
    llvm::Function& function = *program->getFunction(FunctionName(i));
    std::vector<llvm::Instruction*> ends;
    for (llvm::BasicBlock& block : function) ends.push_back(block.getTerminator());
    LimitCalls(function);
    for (int call = 0; call < 2; ++call) {
      InsertCall(ends[random() % ends.size()], functions.size(), random);
    }
    if (i % 2 == 1) function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (llvm::verifyModule(*program, &stream)) return absl::InternalError(reason);
  return program;
}

}  // namespace firstcall::testing
