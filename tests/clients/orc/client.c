// A client of ORC's C API that knows nothing of firstcall. Prints what its compiled code returns.
// With an argument: the level of code generation is None; otherwise it is LLVM's default.

#include <stdio.h>
#include <stdlib.h>

#include "llvm-c/Core.h"
#include "llvm-c/Error.h"
#include "llvm-c/LLJIT.h"
#include "llvm-c/Orc.h"
#include "llvm-c/Target.h"
#include "llvm-c/TargetMachine.h"

static void Check(LLVMErrorRef error) {
  if (error == NULL) return;
  fprintf(stderr, "%s\n", LLVMGetErrorMessage(error));
  exit(2);
}

static LLVMOrcLLJITBuilderRef BuilderAtLevelNone(void) {
  char* triple = LLVMGetDefaultTargetTriple();
  char* error = NULL;
  LLVMTargetRef target;
  if (LLVMGetTargetFromTriple(triple, &target, &error)) {
    fprintf(stderr, "%s\n", error);
    exit(2);
  }
  LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
  LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
      builder,
      LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(LLVMCreateTargetMachine(
          target, triple, "", "", LLVMCodeGenLevelNone, LLVMRelocPIC, LLVMCodeModelJITDefault)));
  LLVMDisposeMessage(triple);
  return builder;
}

int main(int argc, char** argv) {
  (void)argv;
#if defined(__x86_64__)
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
#else
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
#endif
  LLVMOrcLLJITRef jit;
  Check(LLVMOrcCreateLLJIT(&jit, argc > 1 ? BuilderAtLevelNone() : NULL));
  LLVMOrcThreadSafeContextRef context = LLVMOrcCreateNewThreadSafeContext();
  // Its lock is for the module. Before LLVM 22 it cannot be made of a context, and since then its
  // own context cannot be asked for.
  LLVMContextRef in = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("client", in);
  LLVMTypeRef type = LLVMFunctionType(LLVMInt32TypeInContext(in), NULL, 0, 0);
  LLVMValueRef function = LLVMAddFunction(module, "answer", type);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(in);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(in, function, "entry"));
  LLVMBuildRet(builder, LLVMConstInt(LLVMInt32TypeInContext(in), 42, 0));
  LLVMDisposeBuilder(builder);
  Check(LLVMOrcLLJITAddLLVMIRModule(jit, LLVMOrcLLJITGetMainJITDylib(jit),
                                    LLVMOrcCreateNewThreadSafeModule(module, context)));
  LLVMOrcDisposeThreadSafeContext(context);
  LLVMOrcExecutorAddress address = 0;
  Check(LLVMOrcLLJITLookup(jit, &address, "answer"));
  printf("%d\n", ((int (*)(void))address)());
  Check(LLVMOrcDisposeLLJIT(jit));
  LLVMContextDispose(in);
  return 0;
}
