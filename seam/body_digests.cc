#include "seam/body_digests.h"

#include <utility>

#include "base/coding.h"

namespace firstcall {

std::string BodyDigests::Encode() const {
  Encoder encoder;
  encoder.Raw(frame);
  for (const std::string& body : bodies) {
    encoder.Raw(body.empty() ? std::string(kBodySize, '\0') : body);
  }
  return std::move(encoder).Take();
}

std::optional<BodyDigests> BodyDigests::Decode(absl::string_view bytes, size_t symbol_count) {
  if (bytes.size() != kFrameSize + symbol_count * kBodySize) return std::nullopt;
  const std::string none(kBodySize, '\0');
  Decoder decoder(bytes);
  BodyDigests digests;
  digests.frame = std::string(decoder.Raw(kFrameSize));
  digests.bodies.resize(symbol_count);
  for (std::string& body : digests.bodies) {
    const absl::string_view digest = decoder.Raw(kBodySize);
    if (digest != none) body = std::string(digest);
  }
  return digests;
}

std::vector<bool> BodyDigests::CompareWith(const BodyDigests& other) const {
  std::vector<bool> same(bodies.size());
  for (size_t i = 0; i < bodies.size() && i < other.bodies.size(); ++i) {
    same[i] = !bodies[i].empty() && bodies[i] == other.bodies[i];
  }
  return same;
}

}  // namespace firstcall
