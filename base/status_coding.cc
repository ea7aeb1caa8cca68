#include "base/status_coding.h"

#include <cstdint>

#include "absl/strings/string_view.h"

namespace firstcall {

void EncodeStatus(const absl::Status& status, Encoder& encoder) {
  encoder.U8(static_cast<uint8_t>(status.code()));
  if (!status.ok()) encoder.String(status.message());
}

absl::Status DecodeStatus(Decoder& decoder) {
  const absl::Status damaged = absl::InvalidArgumentError("a damaged status");
  const uint8_t code = decoder.U8();
  if (code > static_cast<uint8_t>(absl::StatusCode::kUnauthenticated)) decoder.SetDamaged();
  if (!decoder.ok()) return damaged;
  if (code == 0) return absl::OkStatus();
  const absl::string_view message = decoder.String();
  if (!decoder.ok()) return damaged;
  return absl::Status(static_cast<absl::StatusCode>(code), message);
}

}  // namespace firstcall
