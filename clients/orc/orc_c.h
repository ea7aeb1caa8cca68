/* The compile function of orc_compiler.h for clients of LLVM's C interface (llvm-c/LLJIT.h). */

#ifndef FIRSTCALL_CLIENTS_ORC_ORC_C_H_
#define FIRSTCALL_CLIENTS_ORC_ORC_C_H_

#include <stdint.h>

#include "llvm-c/LLJIT.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When the baseline code generator compiles: if the client's level of code generation is
   LLVMCodeGenLevelNone; at every level; never. */
typedef enum {
  FC_ORC_BASELINE_AT_LEVEL_NONE = 0,
  FC_ORC_BASELINE_ALWAYS = 1,
  FC_ORC_BASELINE_NEVER = 2,
} fc_orc_baseline;

/* Gives the builder the compile function. Call it before LLVMOrcCreateLLJIT. `builder` stays the
   caller's. Any other value than these counts as FC_ORC_BASELINE_AT_LEVEL_NONE. */
void fc_orc_set_compile_function(LLVMOrcLLJITBuilderRef builder, fc_orc_baseline baseline);

/* What the compile functions of this process have done: functions by the baseline code generator,
   functions by LLVM, modules by LLVM as a whole. Each pointer may be null. Thread-safe; does not
   wait for a compile. */
void fc_orc_get_statistics(uint64_t *baseline_functions, uint64_t *llvm_functions,
                           uint64_t *whole_modules);

#ifdef __cplusplus
}
#endif

#endif /* FIRSTCALL_CLIENTS_ORC_ORC_C_H_ */
