/* Compiles programs in Pebble, the language of the tutorial, to LLVM's text. In one pass, without a
 * tree and without LLVM: what is read is written at once. */

#ifndef FIRSTCALL_DOCS_TUTORIAL_C_PEBBLE_H_
#define FIRSTCALL_DOCS_TUTORIAL_C_PEBBLE_H_

#include <stddef.h>
#include <stdint.h>

/* Reads the program in `file` and returns its IR, which the caller frees; with debug information if
 * asked for. Returns NULL, and a message with the line in `error` (zero-terminated, cut if need
 * be), if there is no such file or it has no program. */
char* PebbleCompile(const char* file, int with_debug_information, char* error, size_t error_size);

/* The address of a function that programs call and this process defines, "print" for now, or 0. */
uintptr_t PebbleFindHostFunction(void* user_data, const char* name);

#endif /* FIRSTCALL_DOCS_TUTORIAL_C_PEBBLE_H_ */
