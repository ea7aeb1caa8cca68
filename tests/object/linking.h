// What the tests of linkers share. Objects come from the engine's emitter, and what is linked is
// run.

#ifndef FIRSTCALL_TESTS_OBJECT_LINKING_H_
#define FIRSTCALL_TESTS_OBJECT_LINKING_H_

#include <cstdint>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/owned_code.h"
#include "memory/unwind_registry.h"
#include "object/elf_linker.h"
#include "object/elf_object.h"
#include "object/linker.h"
#include "tests/testing/forwarding_mapper.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/unwind_registries.h"

namespace firstcall {

template <typename Function>
ExecutorAddress AddressOf(Function* function) {
  return ExecutorAddress::Of(reinterpret_cast<const void*>(function));
}

// One arena, beside which there are no others. Its addresses include no multiple of 4 GiB: no code
// lies there, so that one would part the code in two.
inline std::shared_ptr<ArenaMemory> MakeArenas(const ArenaSizes& sizes) {
  std::vector<std::shared_ptr<ArenaMemory>> others;  // Kept, so that the next lies elsewhere.
  const uint64_t size = sizes.code + sizes.read_only + sizes.data;
  while (true) {
    auto arenas = ArenaMemory::Create(std::make_shared<SingleSlabMapper>(), {sizes}).value();
    const uint64_t inside = arenas->near_first().value();
    if ((inside - size) >> 32 == (inside + size) >> 32) return arenas;
    others.push_back(std::move(arenas));
  }
}

inline const ArenaSizes kSmallArenas = {1 << 20, 1 << 20, 1 << 20};

// A linker, with memory and unwind tables of its own.
class Linking : public testing::Test {
 protected:
  explicit Linking(std::unique_ptr<Linker> linker,
                   Registrations registrations = Registrations::kOfProcess,
                   const ArenaSizes& sizes = kSmallArenas)
      : arenas_(MakeArenas(sizes)),
        unwind_registry_(MakeRegistry(registrations)),
        owner_(std::make_unique<OwnedCode>(arenas_, unwind_registry_)),
        own_linker_(std::move(linker)),
        linker_(*own_linker_) {}

  // The object of `text`, which lasts as long as the test.
  ElfObject& Parse(absl::string_view text, const EngineOptions& options = {}) {
    objects_.push_back(CompileToObject(text, options));
    elf_objects_.push_back(
        ElfObject::Parse({objects_.back().data(), objects_.back().size()}, "test.o").value());
    return *elf_objects_.back();
  }

  absl::StatusOr<SymbolAddresses> Load(ElfObject& object) {
    return linker_.Load(object, *owner_, arenas_->near_first());
  }
  absl::StatusOr<SymbolAddresses> Load(absl::string_view text, const EngineOptions& options = {}) {
    return Load(Parse(text, options));
  }

  // What the object of `text` defines, ready to run.
  SymbolAddresses Link(absl::string_view text, const SymbolResolution& resolution = {},
                       const EngineOptions& options = {}) {
    absl::StatusOr<SymbolAddresses> defined = Load(text, options);
    EXPECT_THAT(defined, IsOk());
    if (!defined.ok()) return {};
    EXPECT_THAT(linker_.Finish(resolution), IsOk());
    return *std::move(defined);
  }

  static int Call(const SymbolAddresses& defined, absl::string_view name, int argument = 0) {
    return defined.at(name).InThisProcess<int (*)(int)>()(argument);
  }

  const std::shared_ptr<ArenaMemory> arenas_;
  const std::shared_ptr<UnwindRegistry> unwind_registry_;
  std::unique_ptr<OwnedCode> owner_;
  std::list<ObjectBytes> objects_;  // Must outlive elf_objects_.
  std::list<std::unique_ptr<ElfObject>> elf_objects_;
  const std::unique_ptr<Linker> own_linker_;
  Linker& linker_;
};

class ElfLinking : public Linking {
 protected:
  explicit ElfLinking(Registrations registrations = Registrations::kOfProcess,
                      const ArenaSizes& sizes = kSmallArenas)
      : Linking(std::make_unique<ElfLinker>(), registrations, sizes) {}
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_OBJECT_LINKING_H_
