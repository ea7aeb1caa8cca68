// What an IsolatedEngine and its process say to each other: the kinds of messages. Types and values
// are written into them by foreign/value_coding.
//
// Pure functions. Tested in tests/services/isolation/isolation_messages_test.cc.

#ifndef FIRSTCALL_SERVICES_ISOLATION_ISOLATION_MESSAGES_H_
#define FIRSTCALL_SERVICES_ISOLATION_ISOLATION_MESSAGES_H_

#include <cstddef>
#include <cstdint>

namespace firstcall {

// Requests go to the isolated process, which sends one answer for each. It may send a callback at
// any time. While a callback runs, further requests may be sent; they are answered before the
// callback's result is expected. Each message has a level: how many callbacks there are that have
// no result yet, itself included (services/isolation/conversation).
enum class IsolationMessage : uint32_t {
  kAnswer,  // A status, and if that is OK, what the request's line below says.

  // Requests.
  kCreate,           // Makes the engine.
  kPiece,            // Bytes: the next part of what the next kAdd... adds.
  kAddBitcode,       // Name, library. Answer: the module's number.
  kAddAssembly,      // Name. Answer: the module's number.
  kAddFile,          // Path, library. Answer: the module's number.
  kRemove,           // The module's number.
  kRunConstructors,  //
  kRunMain,          // The entry's name, number of arguments, arguments. Answer: its result.
  kCall,             // Name, type of the result, number of arguments, values. Answer: the result.
  kAllocate,         // Size. Answer: an address.
  kFree,             // Address.
  kRead,             // Address, size. Answer: the bytes.
  kWrite,            // Address, bytes.

  kCallback,        // The callback's number, the arguments' bytes.
  kCallbackResult,  // The result's bytes.
};

// What Message::kind says: the kind and the level.
constexpr uint32_t MessageKind(IsolationMessage kind, size_t level) {
  return static_cast<uint32_t>(kind) | static_cast<uint32_t>(level << 8);
}
constexpr IsolationMessage KindOf(uint32_t message_kind) {
  return static_cast<IsolationMessage>(message_kind & 0xff);
}
constexpr size_t LevelOf(uint32_t message_kind) { return message_kind >> 8; }

// How many bytes a piece, or one kRead or kWrite, may have.
inline constexpr size_t kLargestPiece = size_t{16} << 20;

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_ISOLATION_ISOLATION_MESSAGES_H_
