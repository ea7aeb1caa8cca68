/* A memory manager in C: the client decides where code and data lie. Each block gets pages of its
 * own from one region. They are writable while the engine writes them; afterwards pages of code are
 * executable, and those of constants read-only. */

#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "firstcall/firstcall.h"

enum { kPage = 4096, kRegion = 16 << 20 };

typedef struct Region {
  pthread_mutex_t mutex; /* Several threads may link at once. */
  char* begin;
  size_t used;
  int blocks; /* In use. */
} Region;

/* Whole pages, which are zeroed because they are new. A real manager would reuse freed pages. */
static fc_error* Allocate(Region* region, const fc_memory_request* request,
                          fc_memory_block* block) {
  const size_t size = (request->size + kPage - 1) / kPage * kPage;
  fc_error* error = NULL;
  pthread_mutex_lock(&region->mutex);
  if (request->alignment > kPage || size > kRegion - region->used) {
    error = fc_error_create(FC_RESOURCE_EXHAUSTED, "the region is full");
  } else {
    block->write = region->begin + region->used; /* Code runs there, too. */
    region->used += size;
    ++region->blocks;
  }
  pthread_mutex_unlock(&region->mutex);
  return error;
}

static fc_error* AllocateCode(void* user_data, fc_own_memory* own, const fc_memory_request* request,
                              fc_memory_block* block) {
  (void)own;
  return Allocate(user_data, request, block);
}

static fc_error* AllocateData(void* user_data, fc_own_memory* own, const fc_memory_request* request,
                              int read_only, fc_memory_block* block) {
  (void)own;
  (void)read_only; /* The request has it, too. */
  return Allocate(user_data, request, block);
}

static fc_error* Finalize(void* user_data, fc_own_memory* own, const fc_memory_block* blocks,
                          size_t count) {
  (void)user_data;
  (void)own;
  for (size_t i = 0; i < count; ++i) {
    if (blocks[i].segment == FC_SEGMENT_DATA) continue;
    const int permissions =
        blocks[i].segment == FC_SEGMENT_CODE ? PROT_READ | PROT_EXEC : PROT_READ;
    if (mprotect(blocks[i].write, blocks[i].size, permissions) != 0) {
      return fc_error_create(FC_RESOURCE_EXHAUSTED, "mprotect has failed");
    }
  }
  return NULL;
}

static void Free(void* user_data, fc_own_memory* own, const fc_memory_block* blocks, size_t count) {
  Region* region = user_data;
  (void)own;
  (void)blocks;
  pthread_mutex_lock(&region->mutex);
  region->blocks -= (int)count;
  pthread_mutex_unlock(&region->mutex);
}

static void Destroy(void* user_data) {
  Region* region = user_data;
  printf("blocks at the end: %d\n", region->blocks);
  munmap(region->begin, kRegion);
}

static const char kCounter[] =
    "@count = internal global i32 10\n"
    "define i32 @next(i32 %by) {\n"
    "  %old = load i32, ptr @count\n"
    "  %new = add i32 %old, %by\n"
    "  store i32 %new, ptr @count\n"
    "  ret i32 %new\n"
    "}\n";

int main(void) {
  Region region = {.mutex = PTHREAD_MUTEX_INITIALIZER};
  region.begin = mmap(NULL, kRegion, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (region.begin == MAP_FAILED) return 1;
  const fc_memory_manager manager = {
      .struct_size = sizeof(manager),
      .user_data = &region,
      .allocate_code = AllocateCode,
      .allocate_data = AllocateData,
      .finalize = Finalize,
      .free_blocks = Free,
      .destroy = Destroy,
  };
  fc_options* options = fc_options_create();
  fc_options_set_memory_manager(options, &manager);
  fc_engine* engine = NULL;
  uintptr_t next = 0;
  fc_error* error = fc_engine_create(options, &engine);
  fc_options_free(options);
  if (!error) error = fc_engine_add_assembly(engine, kCounter, strlen(kCounter), "counter", NULL);
  if (!error) error = fc_engine_lookup(engine, "next", &next);
  if (!error) {
    ((int (*)(int))next)(5);
    printf("next(1) = %d\n", ((int (*)(int))next)(1));
    printf("in the region: %s\n", region.blocks >= 2 ? "code and data" : "nothing");
  }
  if (error) fprintf(stderr, "%s\n", fc_error_get_message(error));
  const int status = error != NULL;
  fc_error_free(error);
  fc_engine_destroy(engine);
  return status;
}
