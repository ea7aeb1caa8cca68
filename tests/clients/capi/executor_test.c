/* The executing process of another one's code, by the C API, from C. Calls of compiled code are
 * tested in tests/services/executor. */

#include <sys/socket.h>
#include <unistd.h>

#include "clients/capi/firstcall.h"
#include "tests/clients/capi/check.h"

/* Fills in the ends of a socket. */
static void MakeSocket(int sockets[2]) { CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0); }

static void EndsWhenTheOtherEndIsClosed(void) {
  int sockets[2];
  MakeSocket(sockets);
  close(sockets[0]);
  CHECK_OK(fc_serve_executor(sockets[1]));
  CHECK(close(sockets[1]) != 0); /* It was taken over. */
}

static void WhatIsNoMessageIsAnError(void) {
  int sockets[2];
  fc_error* error;
  const char bytes[] = "These bytes are no request.";
  MakeSocket(sockets);
  CHECK(write(sockets[0], bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes));
  error = fc_serve_executor(sockets[1]);
  CHECK(error != NULL && fc_error_get_code(error) == FC_INVALID_ARGUMENT);
  fc_error_free(error);
  close(sockets[0]);
}

int main(void) {
  EndsWhenTheOtherEndIsClosed();
  WhatIsNoMessageIsAnError();
  return 0;
}
