#include "tests/testing/object.h"

#include <fstream>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/diagnostic_collector.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {

Target MakeTarget(const EngineOptions& options) {
  absl::StatusOr<Target> target = Target::Create(options);
  EXPECT_THAT(target, IsOk());
  return options.tier == Tier::kOne ? target->ThatOptimizes() : *std::move(target);
}

ObjectBytes CompileToObject(absl::string_view text, const EngineOptions& options) {
  const Target target = MakeTarget(options);
  llvm::LLVMContext context;
  CollectDiagnostics(context);
  std::unique_ptr<llvm::Module> module = ParseModule(text, context);
  if (module == nullptr) return {};
  EXPECT_THAT(target.Adopt(*module), IsOk());
  absl::StatusOr<std::unique_ptr<ObjectEmitter>> emitter = ObjectEmitter::Create(target);
  EXPECT_THAT(emitter, IsOk());
  if (!emitter.ok()) return {};
  absl::StatusOr<ObjectBytes> object = (*emitter)->Emit(std::move(module));
  EXPECT_THAT(object, IsOk());
  return object.ok() ? *std::move(object) : ObjectBytes();
}

std::string MakeArchive(const std::vector<std::string>& texts) {
  std::vector<ObjectBytes> objects;
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    objects.push_back(CompileToObject(text));
    names.push_back(absl::StrCat("member", names.size(), ".o"));
  }
  std::vector<llvm::NewArchiveMember> members;
  for (size_t i = 0; i < objects.size(); ++i) {
    members.emplace_back(llvm::MemoryBufferRef({objects[i].data(), objects[i].size()}, names[i]));
  }
  const auto archive = llvm::cantFail(llvm::writeArchiveToBuffer(
      members, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
      /*Deterministic=*/true, /*Thin=*/false));
  return archive->getBuffer().str();
}

std::string WriteTestFile(absl::string_view name, absl::string_view contents) {
  const std::string path = absl::StrCat(testing::TempDir(), "/", name);
  std::ofstream file(path, std::ios::binary);
  file << contents;
  file.close();
  EXPECT_TRUE(file.good()) << path;
  return path;
}

}  // namespace firstcall
