// Sorting with a comparison that is called through a pointer: a heap sort and a merge sort of our
// own, and the C library's.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "scale.h"

enum { kRecords = 20000 };

struct Record {
  uint32_t key;
  uint32_t number;
};

typedef int (*Comparison)(const void*, const void*);

static struct Record records[kRecords], spare[kRecords];
static uint32_t state = 1;

static int ByKey(const void* a, const void* b) {
  const struct Record *one = a, *other = b;
  return one->key < other->key ? -1 : one->key > other->key;
}

static int ByNumberBackwards(const void* a, const void* b) {
  const struct Record *one = a, *other = b;
  return one->number > other->number ? -1 : one->number < other->number;
}

static void MergeSort(struct Record* first, size_t count, Comparison compare) {
  if (count < 2) return;
  const size_t half = count / 2;
  MergeSort(first, half, compare);
  MergeSort(first + half, count - half, compare);
  memcpy(spare, first, half * sizeof *first);
  size_t i = 0, j = half, to = 0;
  while (i < half && j < count) {
    first[to++] = compare(&first[j], &spare[i]) < 0 ? first[j++] : spare[i++];
  }
  while (i < half) first[to++] = spare[i++];
}

static void SiftDown(struct Record* heap, size_t at, size_t count, Comparison compare) {
  const struct Record record = heap[at];
  for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && compare(&heap[child], &heap[child + 1]) < 0) ++child;
    if (compare(&record, &heap[child]) >= 0) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = record;
}

static void HeapSort(struct Record* heap, size_t count, Comparison compare) {
  for (size_t i = count / 2; i-- > 0;) SiftDown(heap, i, count, compare);
  for (size_t i = count - 1; i > 0; --i) {
    const struct Record largest = heap[0];
    heap[0] = heap[i];
    heap[i] = largest;
    SiftDown(heap, 0, i, compare);
  }
}

static void Shuffle(void) {
  for (uint32_t i = 0; i < kRecords; ++i) {
    state = state * 1103515245u + 12345u;
    records[i].key = state >> 8;
    records[i].number = i;
  }
}

static uint64_t Sum(void) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < kRecords; ++i) sum += (i + 1) * records[i].number;
  return sum;
}

int main(int argc, char** argv) {
  const long scale = Scale(argc, argv, 850);
  uint64_t sum = 0;
  for (long i = 0; i < scale; ++i) {
    Shuffle();
    MergeSort(records, kRecords, &ByKey);
    sum += Sum();
    HeapSort(records, kRecords, &ByNumberBackwards);
    sum += Sum();
    Shuffle();
    qsort(records, kRecords, sizeof *records, &ByKey);
    sum += Sum();
  }
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
