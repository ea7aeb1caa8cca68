// The messages between a client, a compile server, and the server's workers.
//
// A client has a control connection to the server, which hands the connection to a worker. It has
// lanes: sockets between one thread of the client and one thread of the worker, for one request at
// a time. Over one more socket the client tells the server which modules the worker gets.
// docs/compile-server.md has a diagram. Numbers are little-endian (base/coding.h).
//
// A client has a name: random bytes that are in its messages to the server. The system's number of
// the client's process would not do, because the server sees no number of a process in another
// container.
//
// Constants. Tested in tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_PROTOCOL_H_
#define FIRSTCALL_SERVICES_SERVER_PROTOCOL_H_

#include <cstddef>
#include <cstdint>

namespace firstcall {

// Increase this when a message changes.
inline constexpr uint32_t kRemoteProtocol = 10;

// The first byte of a message to the server.
enum class ServerMessage : uint8_t {
  // A client requests a worker: protocol, version, expected identity, the client's name, settings
  // (services/server/seam_coding); and a file, the socket for kHasModule. The worker answers with a
  // status and its identity.
  kCompile = 1,
  // A client looks for the pack of a module: the milliseconds for which the client can wait (zero
  // if it will not make the module's code itself), its name, and a key
  // (services/server/object_pack). The server answers with a byte, whether the module is known, and
  // if so with the pack's file. While enough other clients are making the module's code, the server
  // delays the answer.
  kFind = 2,
  // The server answers with a text.
  kStatus = 3,
  // A client asks for the server's identity: protocol, version, expected identity. The server
  // answers as for kCompile.
  kIdentify = 4,
  // A worker offers a pack: its size, and a signature. The server answers with a byte: whether it
  // wants the pack.
  kPublish = 5,
  // On the control connection, to the worker: the file is a new lane. Not answered.
  kLane = 6,
  // A worker whose pack is wanted sends the pack's next bytes. When all have come, the server
  // answers with the pack's number (services/server/known_modules); zero if the pack was not kept.
  kPart = 7,
  // A worker reads the pack of a module: a pack's number, an offset, and a signature. The server
  // answers with the number of its pack, the pack's size, and some of its bytes from the offset on.
  // The answer is only the number zero if the server has no pack; if the offset is zero and the
  // server's pack has the given number; or if the offset is not zero and the server's pack has
  // another number.
  kRead = 8,
  // A client, over the socket that came with kCompile, announces a module that the worker is about
  // to get: the digest of its contents. Not answered.
  kHasModule = 9,
};

// Messages on a lane.
enum class LaneMessage : uint8_t {
  // Requests of the client.
  kAdd = 1,
  kCompileFunction,
  kCompileData,
  kCompileWhole,
  kOptimize,
  kDigestBodies,
  kReadEntryPoint,
  kReadShape,
  kReadAgain,
  kForgetFunctions,
  kRemove,
  kReadLabels,
  // The worker's messages during a request: a question about a symbol, which the client answers
  // with kReply; and the begin and the end of passes. After the end, kReply says whether the result
  // is still wanted.
  kQuestion = 32,
  kReply,
  kPassesBegin,
  kPassesEnd,
  // The answer to the request: a status, and the result.
  kAnswer,
};

enum class QuestionKind : uint8_t { kIsReplaced, kMayJoin, kIsWarm };

inline constexpr size_t kClientNameSize = 16;

// In bytes. A longer message is an error. (To the server and on control connections the limit is
// kLargestPacket of base/packets.)
inline constexpr size_t kLargestLaneMessage = size_t{1} << 30;

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_PROTOCOL_H_
