#include "tests/fuzz/load.h"

#include <memory>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "engine/engine.h"
#include "llvm/Bitcode/BitcodeReader.h"

namespace firstcall::testing {
namespace {

// LLVM's function wants an end after the first four bytes, or a zero.
bool IsBitcode(absl::string_view bytes) {
  if (bytes.size() < 4) return false;
  const auto* start = reinterpret_cast<const unsigned char*>(bytes.data());
  return llvm::isBitcode(start, start + bytes.size());
}

}  // namespace

absl::Status LoadAndPrepare(absl::string_view bytes, absl::Span<const absl::string_view> names,
                            Mode mode) {
  EngineOptions options;
  options.mode = mode;
  FIRSTCALL_ASSIGN_OR_RETURN(const std::unique_ptr<Engine> engine, Engine::Create(options));
  FIRSTCALL_RETURN_IF_ERROR((IsBitcode(bytes) ? engine->AddBitcode(bytes, "damaged")
                                              : engine->AddAssembly(bytes, "damaged"))
                                .status());
  absl::Status first_failure;
  for (absl::string_view name : names) {
    first_failure.Update(engine->LookupAddress(name).status());
    first_failure.Update(engine->Prepare({name}));
  }
  return first_failure;
}

}  // namespace firstcall::testing
