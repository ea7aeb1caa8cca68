#include "base/message_stream.h"

#include "absl/strings/str_cat.h"
#include "base/coding.h"
#include "base/status.h"

namespace firstcall {
namespace {

// The tag, and the number of bytes.
constexpr size_t kHeaderSize = sizeof(uint64_t) + sizeof(uint32_t);

absl::Status TooLong(size_t size) {
  return absl::InvalidArgumentError(absl::StrCat("a message of ", size, " bytes is too long"));
}

}  // namespace

absl::Status SendMessage(const KeptFile& socket, uint64_t tag, absl::string_view bytes,
                         size_t longest, const StreamPatience& patience, int file) {
  if (bytes.size() > longest) return TooLong(bytes.size());
  Encoder header;
  header.U64(tag);
  header.U32(static_cast<uint32_t>(bytes.size()));
  return SendStream(socket, {header.bytes(), bytes}, patience, file);
}

absl::StatusOr<StreamMessage> ReceiveMessage(const KeptFile& socket, size_t longest,
                                             const StreamPatience& patience) {
  StreamMessage message;
  char header[kHeaderSize];
  FIRSTCALL_RETURN_IF_ERROR(ReceiveStream(socket, header, kHeaderSize, patience, &message.file));
  Decoder decoder(absl::string_view(header, kHeaderSize));
  message.tag = decoder.U64();
  const size_t size = decoder.U32();
  if (size > longest) return TooLong(size);
  const absl::Status rest = ReceiveStream(socket, message.bytes, size, patience, &message.file);
  if (absl::IsOutOfRange(rest)) {
    return absl::UnavailableError("the connection ended within a message");
  }
  FIRSTCALL_RETURN_IF_ERROR(rest);
  return message;
}

}  // namespace firstcall
