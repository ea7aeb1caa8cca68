// The executor of LLVM's ORC for the process itself: llvm::orc::SelfExecutorProcessControl.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_OWN_EXECUTOR_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_OWN_EXECUTOR_H_

#include "llvm/Config/llvm-config.h"
#if LLVM_VERSION_MAJOR >= 21
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#else
#include "llvm/ExecutionEngine/Orc/ExecutorProcessControl.h"
#endif

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_OWN_EXECUTOR_H_
