/* The same as tests/engine/embedder.cc, in C and from the shared library without LLVM. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "clients/capi/firstcall.h"

static int is_mapped(const char* name) {
  char line[4096];
  int found = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, name) != NULL) found = 1;
  }
  if (maps != NULL) fclose(maps);
  return found;
}

static int fails(fc_error* error) {
  if (error == NULL) return 0;
  printf("%d: %s\n", (int)fc_error_get_code(error), fc_error_get_message(error));
  fc_error_free(error);
  return 1;
}

static int run(fc_engine* engine, char** argv) {
  fc_statistics statistics;
  uintptr_t address;
  int result;
  if (fails(fc_engine_add_file(engine, argv[3], NULL))) return 1;
  if (fails(fc_engine_prepare(engine, (const char* const*)&argv[4], 1, NULL))) return 1;
  if (fails(fc_engine_lookup(engine, argv[4], &address))) return 1;
  result = ((int (*)(int))address)(6);
  memset(&statistics, 0, sizeof statistics);
  statistics.struct_size = sizeof statistics;
  if (fails(fc_engine_get_statistics(engine, &statistics))) return 1;
  printf("%d, %s: %d\n", result,
         is_mapped("libfirstcall_compiler") || is_mapped("LLVM") ? "mapped" : "not mapped",
         (int)statistics.compilers_made);
  return 0;
}

int main(int argc, char** argv) {
  fc_options* options;
  fc_engine* engine = NULL;
  int status;
  if (argc < 5) return 2;
  options = fc_options_create();
  fc_options_set_cache_directory(options, argv[1]);
  fc_options_set_compiler_library(options, argv[2]);
  status = fails(fc_engine_create(options, &engine));
  fc_options_free(options);
  if (status == 0) status = run(engine, argv);
  fc_engine_destroy(engine);
  return status;
}
