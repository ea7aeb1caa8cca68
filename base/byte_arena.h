// Keeps copies of bytes in a few large blocks, and frees all of them together.
//
// What is kept for long among blocks of the heap that come and go leaves holes there: the heap
// grows, and what works in it touches more memory.
//
// Thread-compatible. Tested in tests/base/byte_arena_test.cc.

#ifndef FIRSTCALL_BASE_BYTE_ARENA_H_
#define FIRSTCALL_BASE_BYTE_ARENA_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/byte_buffer.h"

namespace firstcall {

class ByteArena {
 public:
  ByteArena() = default;
  ByteArena(ByteArena&&) = default;
  ByteArena& operator=(ByteArena&&) = default;

  // Copies `bytes`. The copy lasts as long as the arena, or the one that it was moved to.
  absl::string_view Copy(absl::string_view bytes);

 private:
  std::vector<ByteBuffer> blocks_;
  size_t used_ = 0;  // Bytes of the last block.
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_BYTE_ARENA_H_
