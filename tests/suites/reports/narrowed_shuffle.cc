// Vectors that are shuffled, narrowed and seen as bytes, with AVX2:
// https://github.com/llvm/llvm-project/issues/62242
//
// only: x86_64
#include <cstdio>
#include <cstring>

typedef int Four __attribute__((ext_vector_type(4)));
typedef int Eight __attribute__((ext_vector_type(8)));
typedef short ShortEight __attribute__((ext_vector_type(8)));
typedef short Sixteen __attribute__((ext_vector_type(16)));

__attribute__((noinline, target("avx2"))) static void Shuffle(const int* numbers,
                                                              unsigned char* bytes) {
  Four left, right;
  std::memcpy(&left, numbers, sizeof left);
  std::memcpy(&right, numbers + 4, sizeof right);
  const Eight both = __builtin_shufflevector(left, right | (left ^ 0x50f0), 6, 7, 3, 1, 7, 3, 3, 2);
  const ShortEight narrow = __builtin_convertvector(both, ShortEight);
  const Sixteen all = __builtin_shufflevector(narrow, ShortEight(0), 12, 5, 12, 7, 5, 12, 0, 7, 13,
                                              1, 0, 12, 8, 2, 9, 3);
  std::memcpy(bytes, &all, sizeof all);
}

int main() {
  if (!__builtin_cpu_supports("avx2")) return 0;
  unsigned sum = 0;
  for (int round = 0; round < 3000; ++round) {
    int numbers[8];
    unsigned char bytes[32];
    for (int i = 0; i < 8; ++i) numbers[i] = round * 40503 + i * 70189;
    Shuffle(numbers, bytes);
    for (unsigned char byte : bytes) sum = sum * 33 + byte;
  }
  std::printf("%u\n", sum);
  return 0;
}
