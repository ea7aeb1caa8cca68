// A client of MCJIT's C API that knows nothing of firstcall. Prints what its compiled code returns,
// and then "engine loaded" or "no engine". With an argument: loads LLVM by dlopen, as interpreters'
// bindings do, and calls it through the addresses that dlsym returns.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llvm-c/Core.h"
#include "llvm-c/ExecutionEngine.h"
#include "llvm-c/Target.h"

#define EACH_FUNCTION(USE)              \
  USE(LLVMModuleCreateWithName)         \
  USE(LLVMInt32Type)                    \
  USE(LLVMFunctionType)                 \
  USE(LLVMAddFunction)                  \
  USE(LLVMAppendBasicBlock)             \
  USE(LLVMCreateBuilder)                \
  USE(LLVMPositionBuilderAtEnd)         \
  USE(LLVMConstInt)                     \
  USE(LLVMBuildRet)                     \
  USE(LLVMDisposeBuilder)               \
  USE(LLVMInitializeX86TargetInfo)      \
  USE(LLVMInitializeX86Target)          \
  USE(LLVMInitializeX86TargetMC)        \
  USE(LLVMInitializeX86AsmPrinter)      \
  USE(LLVMInitializeAArch64TargetInfo)  \
  USE(LLVMInitializeAArch64Target)      \
  USE(LLVMInitializeAArch64TargetMC)    \
  USE(LLVMInitializeAArch64AsmPrinter)  \
  USE(LLVMCreateMCJITCompilerForModule) \
  USE(LLVMGetFunctionAddress)           \
  USE(LLVMDisposeExecutionEngine)

#define DECLARE(name) __typeof__(name)* name;
static struct { EACH_FUNCTION(DECLARE) } llvm;

static void* library;

static void* Find(const char* name) {
  void* address = dlsym(library, name);
  if (address == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  return address;
}

int main(int argc, char** argv) {
  library = dlopen(argc > 1 ? argv[1] : NULL, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
#define LOAD(name) llvm.name = (__typeof__(llvm.name))Find(#name);
  EACH_FUNCTION(LOAD)
  llvm.LLVMInitializeX86TargetInfo();
  llvm.LLVMInitializeX86Target();
  llvm.LLVMInitializeX86TargetMC();
  llvm.LLVMInitializeX86AsmPrinter();
  llvm.LLVMInitializeAArch64TargetInfo();
  llvm.LLVMInitializeAArch64Target();
  llvm.LLVMInitializeAArch64TargetMC();
  llvm.LLVMInitializeAArch64AsmPrinter();

  LLVMModuleRef module = llvm.LLVMModuleCreateWithName("client");
  LLVMTypeRef type = llvm.LLVMFunctionType(llvm.LLVMInt32Type(), NULL, 0, 0);
  LLVMValueRef function = llvm.LLVMAddFunction(module, "answer", type);
  LLVMBuilderRef builder = llvm.LLVMCreateBuilder();
  llvm.LLVMPositionBuilderAtEnd(builder, llvm.LLVMAppendBasicBlock(function, "entry"));
  llvm.LLVMBuildRet(builder, llvm.LLVMConstInt(llvm.LLVMInt32Type(), 42, 0));
  llvm.LLVMDisposeBuilder(builder);

  LLVMExecutionEngineRef engine;
  char* error = NULL;
  if (llvm.LLVMCreateMCJITCompilerForModule(&engine, module, NULL, 0, &error) != 0) {
    fprintf(stderr, "%s\n", error);
    return 2;
  }
  printf("%d\n", ((int (*)(void))llvm.LLVMGetFunctionAddress(engine, "answer"))());
  llvm.LLVMDisposeExecutionEngine(engine);
  return 0;
}
