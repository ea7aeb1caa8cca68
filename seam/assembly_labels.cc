#include "seam/assembly_labels.h"

#include <cstdint>
#include <utility>

#include "base/coding.h"

namespace firstcall {

std::optional<SymbolOrdinal> AssemblyLabels::DefinerOf(absl::string_view name) const {
  for (const Label& label : all) {
    if (label.name == name) return label.function;
  }
  return std::nullopt;
}

std::string AssemblyLabels::Encode() const {
  Encoder encoder;
  encoder.U32(static_cast<uint32_t>(all.size()));
  for (const Label& label : all) {
    encoder.String(label.name);
    encoder.U32(label.function.value);
  }
  return std::move(encoder).Take();
}

std::optional<AssemblyLabels> AssemblyLabels::Decode(absl::string_view bytes, size_t symbol_count) {
  Decoder decoder(bytes);
  AssemblyLabels labels;
  labels.all.resize(decoder.Count(8));
  for (Label& label : labels.all) {
    label.name = std::string(decoder.String());
    label.function.value = decoder.U32();
    if (label.function.value >= symbol_count) return std::nullopt;
  }
  if (!decoder.ok() || !decoder.rest().empty()) return std::nullopt;
  return labels;
}

}  // namespace firstcall
