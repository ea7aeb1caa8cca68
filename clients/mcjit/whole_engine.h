// MCJIT's engine for what is compiled whole. That engine is created when it is needed for the first
// time, and then gets the settings that the client has made until then.
//
// Owns the engine. Thread-compatible. Tested in tests/clients/mcjit/lazy_engine_test.cc.

#ifndef FIRSTCALL_CLIENTS_MCJIT_WHOLE_ENGINE_H_
#define FIRSTCALL_CLIENTS_MCJIT_WHOLE_ENGINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "clients/mcjit/baseline_objects.h"
#include "clients/mcjit/constructor.h"
#include "llvm/ExecutionEngine/ExecutionEngine.h"
#include "llvm/ExecutionEngine/RTDyldMemoryManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Target/TargetMachine.h"

namespace firstcall {

class WholeEngine {
 public:
  // Returns the address of a name that MCJIT's engine does not define; 0 if nothing defines it.
  using SymbolFinder = std::function<uint64_t(const std::string& object_name)>;

  // `constructor` creates MCJIT's engine, which asks `finder` for names. Neither is null, and
  // `finder` must work until this object is destroyed.
  WholeEngine(McjitConstructor constructor,
              std::shared_ptr<llvm::MCJITMemoryManager> memory_manager, SymbolFinder finder);

  // MCJIT's engine; null before the first GetOrCreate.
  llvm::ExecutionEngine* get() const { return engine_.get(); }
  // The same, created if there is none yet, for a target machine like `target_machine`. If that is
  // not possible, LLVM's fatal error.
  llvm::ExecutionEngine& GetOrCreate(const llvm::TargetMachine& target_machine);

  // The client's settings. Listeners must exist until they are removed, and the cache until it is
  // replaced; the cache may be null.
  void AddListener(llvm::JITEventListener* listener);
  void RemoveListener(llvm::JITEventListener* listener);
  void SetObjectCache(llvm::ObjectCache* cache);
  void SetProcessAllSections(bool process_all_sections);

  // If the settings demand that each module is compiled whole, the reason in words; otherwise
  // empty.
  absl::string_view ReasonForAllModules() const;

 private:
  // Tells MCJIT's engine where objects come from.
  void ServeObjectCache();

  const McjitConstructor constructor_;
  const std::shared_ptr<llvm::MCJITMemoryManager> memory_manager_;
  const SymbolFinder finder_;
  std::vector<llvm::JITEventListener*> listeners_;
  llvm::ObjectCache* object_cache_ = nullptr;
  bool processes_all_sections_ = false;
  std::unique_ptr<BaselineObjects> baseline_objects_;  // Null if LLVM generates all code.
  std::unique_ptr<llvm::LLVMContext> context_;  // That of the module that MCJIT is created with.
  std::unique_ptr<llvm::ExecutionEngine> engine_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_WHOLE_ENGINE_H_
