// What the client and the two kinds of process of a compile server say to each other.
//
// A client has a control connection to the server, which hands it to a worker, and lanes: sockets
// between one thread of the client and one thread of the worker, over which one request goes at a
// time. Over one more socket the client tells the server which modules the worker gets.
// docs/compile-server.md has a diagram. Numbers are little-endian (base/coding.h).
//
// A client has a name: random bytes, which are in all that it says to the server. The system's
// number of its process would not do: the server sees none of a process in another container.
//
// Constants. Tested in tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_REMOTE_PROTOCOL_H_
#define FIRSTCALL_REMOTE_PROTOCOL_H_

#include <cstddef>
#include <cstdint>

namespace firstcall {

// Increase this when a message changes.
inline constexpr uint32_t kRemoteProtocol = 7;

// The first byte of a message to the server.
enum class ServerMessage : uint8_t {
  // A client that wants a worker: protocol, version, expected identity, the client's name, settings
  // (remote/seam_coding); and a file, the socket for kHasModule. The worker answers: a status, and
  // its identity.
  kCompile = 1,
  // A client that looks for what is known of a module: the milliseconds for which it can wait, zero
  // if it will not make the module's code itself, its name, and a key (remote/object_pack). The
  // server answers with a byte, whether the module is known, and if so with the pack's file. It
  // waits with that while enough other clients are making the module's code.
  kFind = 2,
  // The server answers with a text.
  kStatus = 3,
  // A client that only asks who answers: protocol, version. The server answers as for kCompile.
  kIdentify = 4,
  // A worker that has made code: the size of a pack, and a signature. The server answers with a
  // byte: whether it wants the pack.
  kPublish = 5,
  // On the control connection, to the worker: the file is a new lane. Not answered.
  kLane = 6,
  // A worker whose pack is wanted: the pack's next bytes. When all have come, the server answers
  // with the pack's number (remote/known_modules), zero if the pack was not kept.
  kPart = 7,
  // A worker that looks for what is known of a module: a pack's number, an offset, and a signature.
  // The server answers with the number of the pack that it has, the pack's size, and some of its
  // bytes from the offset on. The number is zero, and nothing follows, if there is no pack; if the
  // offset is zero and the pack is the one that was named; or otherwise, if the pack is another
  // one.
  kRead = 8,
  // A client, over the socket that came with kCompile: the digest of the contents of a module that
  // the worker is about to get. Not answered.
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
  // What a worker says while it works on one: a question about a symbol, which the client answers
  // with kReply, and the begin and the end of passes; kReply after the end says whether the result
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

// Longer messages did not come from us. (To the server and on control connections: kLargestPacket
// of base/packets.)
inline constexpr size_t kLargestLaneMessage = size_t{1} << 30;

}  // namespace firstcall

#endif  // FIRSTCALL_REMOTE_PROTOCOL_H_
