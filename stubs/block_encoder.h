// Encodes the code of a block in its order, which is the same for every architecture. Tested in
// tests/stubs/stub_x86_64_test.cc.

#ifndef FIRSTCALL_STUBS_BLOCK_ENCODER_H_
#define FIRSTCALL_STUBS_BLOCK_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stubs/byte_writer.h"
#include "stubs/stub_architecture.h"

namespace firstcall {

// The base of an architecture's encoder. The encoder has the member functions EncodeStub(index) and
// EncodeLead(index) for a block of stubs, EncodeCounter(index) for a block of counters, and
// EncodeTail() for both, which append to `out`.
struct BlockEncoder {
  const StubBlockPlacement& placement;
  ByteWriter out;
};

// For StubArchitecture::encode_block.
template <typename Encoder>
std::vector<uint8_t> EncodeBlock(const StubBlockPlacement& placement) {
  Encoder encoder{{placement, {}}};
  for (size_t i = 0; i < placement.count; ++i) encoder.EncodeStub(i);
  for (size_t i = 0; i < placement.count; ++i) encoder.EncodeLead(i);
  encoder.EncodeTail();
  return encoder.out.Take();
}

// For StubArchitecture::encode_counters.
template <typename Encoder>
std::vector<uint8_t> EncodeCounters(const StubBlockPlacement& placement) {
  Encoder encoder{{placement, {}}};
  for (size_t i = 0; i < placement.count; ++i) encoder.EncodeCounter(i);
  encoder.EncodeTail();
  return encoder.out.Take();
}

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_BLOCK_ENCODER_H_
