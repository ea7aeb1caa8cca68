/* Embedding firstcall in C: takes IR and returns an address to call. Only called functions are
 * compiled. */

#include <stdio.h>
#include <string.h>

#include "firstcall/firstcall.h"

static const char kShapes[] =
    "define i32 @square(i32 %x) { %y = mul i32 %x, %x  ret i32 %y }\n"
    "define i32 @cube(i32 %x) { %s = call i32 @square(i32 %x)  %c = mul i32 %s, %x  ret i32 %c }\n";

int main(void) {
  fc_engine* engine = NULL;
  uintptr_t square = 0; /* Will be a stub's address; the look-up compiles nothing. */
  fc_error* error = fc_engine_create(NULL, &engine);
  if (!error) error = fc_engine_add_assembly(engine, kShapes, strlen(kShapes), "shapes", NULL);
  if (!error) error = fc_engine_lookup(engine, "square", &square);
  /* The first call compiles square, and only square. */
  if (!error) printf("square(7) = %d\n", ((int (*)(int))square)(7));

  /* If the signature is known only at run time, values carry their types. */
  fc_value argument = {.type.kind = FC_INT32, .as.int32 = 3};
  fc_value result = {.type.kind = FC_INT32};
  if (!error) error = fc_call(engine, "cube", &argument, 1, &result);
  if (!error) printf("cube(3) = %d\n", result.as.int32);

  if (error) fprintf(stderr, "%s\n", fc_error_get_message(error));
  const int status = error != NULL;
  fc_error_free(error);
  fc_engine_destroy(engine);
  return status;
}
