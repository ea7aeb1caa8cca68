// Hashing: cyclic redundancy checks from a table, a hash of byte strings, and a hash table with
// open addressing.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "scale.h"

enum { kSlots = 1 << 14, kBytes = 1 << 14 };

struct Slot {
  uint64_t key;
  uint64_t count;
};

static struct Slot slots[kSlots];
static uint32_t table[256];
static uint8_t bytes[kBytes];

static void MakeTable(void) {
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0xedb88320u : 0);
    table[i] = rest;
  }
}

static uint32_t Check(const uint8_t* data, size_t size) {
  uint32_t check = ~0u;
  for (size_t i = 0; i < size; ++i) check = table[(check ^ data[i]) & 255] ^ (check >> 8);
  return ~check;
}

static uint64_t Rotate(uint64_t value, int bits) {
  return (value << bits) | (value >> (64 - bits));
}

static uint64_t Hash(const uint8_t* data, size_t size) {
  uint64_t hash = size;
  for (; size >= 8; data += 8, size -= 8) {
    uint64_t word;
    memcpy(&word, data, 8);
    hash = Rotate(hash ^ (word * 0x9e3779b97f4a7c15u), 29) * 0xbf58476d1ce4e5b9u;
  }
  for (; size > 0; ++data, --size) hash = (hash ^ *data) * 0x100000001b3u;
  return hash ^ (hash >> 32);
}

static uint64_t Count(uint64_t key) {
  for (uint64_t i = Hash((const uint8_t*)&key, sizeof key);; ++i) {
    struct Slot* slot = &slots[i % kSlots];
    if (slot->count == 0) slot->key = key;
    if (slot->key == key) return ++slot->count;
  }
}

int main(int argc, char** argv) {
  const long scale = Scale(argc, argv, 38000);
  MakeTable();
  uint64_t sum = 0;
  for (long i = 0; i < scale; ++i) {
    bytes[i % kBytes] = (uint8_t)sum;
    sum += Check(bytes, kBytes);
    for (size_t j = 0; j < kBytes; j += 61)
      sum += Hash(bytes + j, kBytes - j > 47 ? 47 : kBytes - j);
    for (uint64_t j = 0; j < 4000; ++j) sum += Count((j * 31 + sum) % 7919);
  }
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
