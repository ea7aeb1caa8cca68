// Calls between bitcode and an object, both ways, with Swift's calling convention.
#include "swift_calls.h"

#include <stdio.h>

#define OTHER in_object
#include "swift_functions.h"

const struct functions in_bitcode = {Throws, CallsOther, Four, Mixed, Large, Many};

static void Run(const char* name, const struct functions* functions) {
  for (long x = 1; x < 9; ++x) {
    long context = 10 * x;
    void* error = 0;
    const long a = functions->throws(x, &context, &error);
    printf("%s throws %ld %ld %d\n", name, a, context, error == &context);
    error = 0;
    const long b = functions->calls_other(x, &context, &error);
    printf("%s calls %ld %ld %d\n", name, b, context, error == &context);
    error = 0;
    const struct four four = functions->four(x, 2.5 * x, &context, &error);
    printf("%s four %ld %ld %ld %ld %d\n", name, four.a, four.b, four.c, four.d, error == &context);
    const struct mixed in = {x + 0.5, x + 0.25, 3.0f, x, 7};
    const struct mixed out = functions->mixed(in, 2.0f);
    printf("%s mixed %g %g %g %ld %d\n", name, out.a, out.b, out.c, out.d, out.e);
    const struct large large = functions->large(x);
    printf("%s large %ld %ld\n", name, large.values[0], large.values[5]);
    error = 0;
    const long many = functions->many(x, 2, 3, 4, 5, 6, 7, 8.5, (short)(x - 5), &context, &error);
    printf("%s many %ld %d\n", name, many, error == &context);
  }
}

int main(void) {
  Run("bitcode", &in_bitcode);
  Run("object", &in_object);
  return 0;
}
