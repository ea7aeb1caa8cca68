// A link with a delay, for measurements by hand:
//   delayed_link PORT MILLISECONDS
//
// Prints the port on which it listens, and forwards connections to PORT of the loopback, with so
// many milliseconds (a fraction is allowed) of round trip, until its standard input ends.

#include <cstdio>

#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "tests/testing/faulty_link.h"

int main(int argc, char** argv) {
  int port = 0;
  double milliseconds = 0;
  if (argc != 3 || !absl::SimpleAtoi(argv[1], &port) || !absl::SimpleAtod(argv[2], &milliseconds)) {
    std::fputs("usage: delayed_link PORT MILLISECONDS\n", stderr);
    return 2;
  }
  firstcall::FaultyLink link(port);
  firstcall::FaultyLink::Plan plan;
  plan.round_trip = absl::Milliseconds(milliseconds);
  link.Use(plan);
  std::printf("%d\n", link.port());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
}
