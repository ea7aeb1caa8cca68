#include "docs/tutorial/cc/generator.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

namespace pebble {
namespace {

class Generator {
 public:
  Generator(llvm::LLVMContext& context, const std::string& file)
      : module_(std::make_unique<llvm::Module>("pebble", context)),
        builder_(context),
        number_(llvm::Type::getDoubleTy(context)) {
    if (file.empty()) return;
    debug_.emplace(*module_);
    module_->addModuleFlag(llvm::Module::Warning, "Debug Info Version",
                           llvm::DEBUG_METADATA_VERSION);
    file_ = debug_->createFile(llvm::sys::path::filename(file), llvm::sys::path::parent_path(file));
    debug_->createCompileUnit(llvm::dwarf::DW_LANG_C, file_, "pebble", /*isOptimized=*/false, "",
                              /*RV=*/0);
    debug_number_ = debug_->createBasicType("number", 64, llvm::dwarf::DW_ATE_float);
  }

  absl::StatusOr<std::unique_ptr<llvm::Module>> Finish(const Program& program) {
    Declare("print", 1);
    // First all names, because a function may call those behind it.
    for (const Function& function : program.functions) {
      if (module_->getFunction(function.name) != nullptr) {
        Fail(function.line, absl::StrCat("'", function.name, "' is defined twice"));
      }
      Declare(function.name, function.parameters.size());
    }
    if (error_.ok()) {
      for (const Function& function : program.functions) Define(function);
    }
    if (!error_.ok()) return error_;
    if (debug_) debug_->finalize();
    return std::move(module_);
  }

 private:
  void Fail(int line, const std::string& message) {
    if (error_.ok()) {
      error_ = absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", message));
    }
  }

  void Declare(const std::string& name, size_t parameters) {
    const std::vector<llvm::Type*> types(parameters, number_);
    llvm::Function::Create(llvm::FunctionType::get(number_, types, /*isVarArg=*/false),
                           llvm::Function::ExternalLinkage, name, *module_);
  }

  void Define(const Function& source) {
    function_ = module_->getFunction(source.name);
    builder_.SetInsertPoint(NewBlock());
    variables_.clear();
    if (debug_) {
      const std::vector<llvm::Metadata*> types(source.parameters.size() + 1, debug_number_);
      scope_ = debug_->createFunction(
          file_, source.name, "", file_, source.line,
          debug_->createSubroutineType(debug_->getOrCreateTypeArray(types)), source.line,
          llvm::DINode::FlagPrototyped, llvm::DISubprogram::SPFlagDefinition);
      function_->setSubprogram(scope_);
    }
    // Without a line: a breakpoint of the function is then where its parameters have their values.
    builder_.SetCurrentDebugLocation(llvm::DebugLoc());
    for (size_t i = 0; i < source.parameters.size(); ++i) {
      llvm::Argument* const argument = function_->getArg(i);
      builder_.CreateStore(argument, NewVariable(source.parameters[i], source.line, i + 1));
    }
    Generate(source.body);
    // A function that ends without a return returns 0.
    builder_.CreateRet(llvm::ConstantFP::get(number_, 0));
  }

  llvm::DILocation* LineOf(int line) {
    return llvm::DILocation::get(module_->getContext(), line, 0, scope_);
  }

  // The line of the instructions that follow.
  void SetLine(int line) {
    if (debug_) builder_.SetCurrentDebugLocation(LineOf(line));
  }

  llvm::BasicBlock* NewBlock() {
    return llvm::BasicBlock::Create(module_->getContext(), "", function_);
  }

  // Makes room in the frame: in the first block, because a loop would take more with each
  // iteration. `parameter` counts from 1; 0 is a local variable.
  llvm::AllocaInst* NewVariable(const std::string& name, int line, unsigned parameter = 0) {
    llvm::BasicBlock& entry = function_->getEntryBlock();
    llvm::IRBuilder<> at_entry(&entry, entry.begin());
    llvm::AllocaInst*& variable = variables_[name];
    if (variable != nullptr) Fail(line, absl::StrCat("'", name, "' is defined twice"));
    variable = at_entry.CreateAlloca(number_, nullptr, name);
    if (debug_) {
      llvm::DILocalVariable* const described =
          parameter == 0 ? debug_->createAutoVariable(scope_, name, file_, line, debug_number_)
                         : debug_->createParameterVariable(scope_, name, parameter, file_, line,
                                                           debug_number_);
      debug_->insertDeclare(variable, described, debug_->createExpression(), LineOf(line),
                            builder_.GetInsertBlock());
    }
    return variable;
  }

  llvm::AllocaInst* Find(const std::string& name, int line) {
    const auto found = variables_.find(name);
    if (found != variables_.end()) return found->second;
    Fail(line, absl::StrCat("there is no variable '", name, "'"));
    return NewVariable(name, line);
  }

  void Generate(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) Generate(statement);
  }

  void Generate(const Statement& statement) {
    SetLine(statement.line);
    switch (statement.kind) {
      case Statement::kLet: {
        llvm::Value* const value = Generate(statement.value[0]);
        builder_.CreateStore(value, NewVariable(statement.name, statement.line));
        break;
      }
      case Statement::kAssign: {
        llvm::Value* const value = Generate(statement.value[0]);
        builder_.CreateStore(value, Find(statement.name, statement.line));
        break;
      }
      case Statement::kReturn:
        builder_.CreateRet(Generate(statement.value[0]));
        builder_.SetInsertPoint(NewBlock());  // For what follows, which nothing reaches.
        break;
      case Statement::kExpression:
        Generate(statement.value[0]);
        break;
      case Statement::kIf: {
        llvm::BasicBlock *then = NewBlock(), *otherwise = NewBlock(), *end = NewBlock();
        Branch(statement.value[0], then, otherwise);
        GenerateBlock(then, statement.body, end);
        GenerateBlock(otherwise, statement.otherwise, end);
        builder_.SetInsertPoint(end);
        break;
      }
      case Statement::kWhile: {
        llvm::BasicBlock *test = NewBlock(), *body = NewBlock(), *end = NewBlock();
        builder_.CreateBr(test);
        builder_.SetInsertPoint(test);
        Branch(statement.value[0], body, end);
        GenerateBlock(body, statement.body, test);
        builder_.SetInsertPoint(end);
        break;
      }
    }
  }

  void GenerateBlock(llvm::BasicBlock* block, const std::vector<Statement>& statements,
                     llvm::BasicBlock* next) {
    builder_.SetInsertPoint(block);
    Generate(statements);
    builder_.CreateBr(next);
  }

  void Branch(const Expression& condition, llvm::BasicBlock* then, llvm::BasicBlock* otherwise) {
    llvm::Value* const zero = llvm::ConstantFP::get(number_, 0);
    builder_.CreateCondBr(builder_.CreateFCmpUNE(Generate(condition), zero), then, otherwise);
  }

  llvm::Value* Generate(const Expression& expression) {
    switch (expression.kind) {
      case Expression::kNumber:
        return llvm::ConstantFP::get(number_, expression.number);
      case Expression::kVariable:
        return builder_.CreateLoad(number_, Find(expression.name, expression.line));
      case Expression::kCall:
        return Call(expression);
      case Expression::kOperation:
        return Operate(expression);
    }
    return nullptr;
  }

  llvm::Value* Call(const Expression& call) {
    llvm::Function* const callee = module_->getFunction(call.name);
    if (callee == nullptr) Fail(call.line, absl::StrCat("there is no function '", call.name, "'"));
    std::vector<llvm::Value*> arguments;
    for (const Expression& argument : call.operands) arguments.push_back(Generate(argument));
    if (callee != nullptr && callee->arg_size() != arguments.size()) {
      Fail(call.line, absl::StrCat("'", call.name, "' takes ", callee->arg_size(),
                                   " arguments, not ", arguments.size()));
    }
    if (!error_.ok()) return llvm::ConstantFP::get(number_, 0);
    return builder_.CreateCall(callee, arguments);
  }

  llvm::Value* Operate(const Expression& operation) {
    llvm::Value* const left = Generate(operation.operands[0]);
    llvm::Value* const right = Generate(operation.operands[1]);
    const std::string& name = operation.name;
    if (name == "+") return builder_.CreateFAdd(left, right);
    if (name == "-") return builder_.CreateFSub(left, right);
    if (name == "*") return builder_.CreateFMul(left, right);
    if (name == "/") return builder_.CreateFDiv(left, right);
    if (name == "%") return builder_.CreateFRem(left, right);
    static const std::map<std::string, llvm::CmpInst::Predicate> kComparisons = {
        {"==", llvm::CmpInst::FCMP_OEQ}, {"!=", llvm::CmpInst::FCMP_UNE},
        {"<", llvm::CmpInst::FCMP_OLT},  {"<=", llvm::CmpInst::FCMP_OLE},
        {">", llvm::CmpInst::FCMP_OGT},  {">=", llvm::CmpInst::FCMP_OGE}};
    llvm::Value* const holds = builder_.CreateFCmp(kComparisons.at(name), left, right);
    return builder_.CreateUIToFP(holds, number_);
  }

  std::unique_ptr<llvm::Module> module_;
  llvm::IRBuilder<> builder_;
  llvm::Type* const number_;
  absl::Status error_;

  // Of the function that is generated.
  llvm::Function* function_ = nullptr;
  std::map<std::string, llvm::AllocaInst*> variables_;

  // Of the debug information, if there is any.
  std::optional<llvm::DIBuilder> debug_;
  llvm::DIFile* file_ = nullptr;
  llvm::DIType* debug_number_ = nullptr;
  llvm::DISubprogram* scope_ = nullptr;
};

}  // namespace

absl::StatusOr<std::unique_ptr<llvm::Module>> Generate(const Program& program,
                                                       llvm::LLVMContext& context,
                                                       const std::string& file) {
  return Generator(context, file).Finish(program);
}

}  // namespace pebble
