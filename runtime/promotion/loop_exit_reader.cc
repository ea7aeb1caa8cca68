#include "runtime/promotion/loop_exit_reader.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "object/running_code.h"

namespace firstcall {
namespace {

const ElfObject::Section* Find(const ElfObject& object) {
  for (const ElfObject::Section& section : object.sections()) {
    if (section.name == kLoopExitSection) return &section;
  }
  return nullptr;
}

std::optional<LeavableLoop> Read(const ElfObject& object) {
  const ElfObject::Section* const section = Find(object);
  if (section == nullptr) return std::nullopt;
  const absl::Span<const char> bytes = object.BytesOf(*section);
  return LeavableLoop::Decode({bytes.data(), bytes.size()});
}

// The bytes of the function's code; 0 if the object does not define the function.
uint64_t SizeOf(const ElfObject& object, absl::string_view function) {
  for (size_t i = 0; i < object.symbol_count(); ++i) {
    const ElfObject::Symbol symbol = object.symbol(i);
    if (!symbol.is_undefined() && object.NameOf(symbol) == function) return symbol.size;
  }
  return 0;
}

}  // namespace

bool HasLoopExit(const ElfObject& object) { return Find(object) != nullptr; }

std::shared_ptr<LoopExit> ReadLoopExit(const ElfObject& object, absl::string_view function,
                                       const char* first_body) {
  std::optional<LeavableLoop> loop = Read(object);
  if (!loop || first_body == nullptr) return nullptr;
  const absl::StatusOr<std::unique_ptr<ElfObject>> body =
      ElfObject::Parse(absl::MakeSpan(loop->body.data(), loop->body.size()), function);
  if (!body.ok() || !IsCodeOf(**body, function, first_body) ||
      loop->leave >= SizeOf(**body, function)) {
    return nullptr;
  }
  auto exit = std::make_shared<LoopExit>();
  exit->leave = first_body + loop->leave;
  exit->live_in_bytes = loop->live_in_bytes;
  exit->moves = std::move(loop->moves);
  for (uint32_t target : loop->targets) {
    exit->targets.push_back(target == UINT32_MAX ? nullptr : first_body + target);
  }
  return exit;
}

}  // namespace firstcall
