/* Checks for test programs in C: the first that fails ends the program with status 1. */

#ifndef FIRSTCALL_TESTS_CLIENTS_CAPI_CHECK_H_
#define FIRSTCALL_TESTS_CLIENTS_CAPI_CHECK_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/capi/firstcall.h"

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

static inline void CheckOkAt(const char* file, int line, fc_error* error) {
  if (error == NULL) return;
  fprintf(stderr, "%s:%d: error %d: %s\n", file, line, (int)fc_error_get_code(error),
          fc_error_get_message(error));
  exit(1);
}
#define CHECK_OK(error) CheckOkAt(__FILE__, __LINE__, error)

/* Frees the error. */
static inline void CheckErrorAt(const char* file, int line, fc_error* error, fc_error_code code,
                                const char* text) {
  if (error == NULL || fc_error_get_code(error) != code ||
      strstr(fc_error_get_message(error), text) == NULL) {
    fprintf(stderr, "%s:%d: expected error %d with '%s', but got %d: %s\n", file, line, (int)code,
            text, (int)fc_error_get_code(error), fc_error_get_message(error));
    exit(1);
  }
  fc_error_free(error);
}
#define CHECK_ERROR(error, code, text) CheckErrorAt(__FILE__, __LINE__, error, code, text)

#endif /* FIRSTCALL_TESTS_CLIENTS_CAPI_CHECK_H_ */
