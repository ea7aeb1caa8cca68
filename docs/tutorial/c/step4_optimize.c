/* Step 4: hot functions are optimized while the program runs. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "docs/tutorial/c/pebble.h"
#include "firstcall/firstcall.h"

static fc_error* Run(const char* file, double argument) {
  char message[200];
  char* const ir = PebbleCompile(file, 0, message, sizeof(message));
  if (ir == NULL) return fc_error_create(FC_INVALID_ARGUMENT, message);

  fc_options* const options = fc_options_create();
  /* The default: first code soon, and better code for what is hot. With 0 nothing would be
   * optimized, with 1 everything before its first call. */
  fc_options_set_tier(options, 2);
  fc_options_set_symbol_finder(options, PebbleFindHostFunction, NULL);
  fc_engine* engine = NULL;
  fc_error* error = fc_engine_create(options, &engine);
  fc_options_free(options);

  if (!error) error = fc_engine_add_assembly(engine, ir, strlen(ir), file, NULL);
  free(ir);
  uintptr_t start;
  if (!error) error = fc_engine_lookup(engine, "start", &start);
  if (!error) ((double (*)(double))start)(argument);

  fc_statistics statistics = {.struct_size = sizeof(statistics)};
  if (!error) error = fc_engine_get_statistics(engine, &statistics);
  if (!error) {
    printf("compiled: %d of %d\n", (int)statistics.functions_compiled,
           (int)statistics.functions_known);
  }
  if (!error) {
    printf("optimized while it ran: %s\n", statistics.promotions_made > 0 ? "yes" : "no");
  }
  fc_engine_destroy(engine);
  return error;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: step4_optimize PROGRAM NUMBER\n");
    return 2;
  }
  fc_error* const error = Run(argv[1], atof(argv[2]));
  if (error) fprintf(stderr, "%s\n", fc_error_get_message(error));
  const int status = error != NULL;
  fc_error_free(error);
  return status;
}
