#include "tools/server_status.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/packets.h"
#include "base/steady_clock.h"
#include "services/server/client_socket.h"
#include "services/server/protocol.h"
#include "services/server/socket_path.h"

namespace firstcall {
namespace {

constexpr absl::Duration kBudget = absl::Seconds(5);

constexpr char kUsage[] =
    "usage: firstcall serve [options]\n"
    "\n"
    "Compiles for other processes of this user: firstcall --compile-server=PATH, and programs "
    "that\n"
    "embed firstcall. Ends when it gets SIGTERM or SIGINT.\n"
    "\n"
    "  --socket=PATH          where it listens (default: $XDG_RUNTIME_DIR/firstcall.socket)\n"
    "  --workers=N            how many clients it serves at the same time (256)\n"
    "  --worker-memory=MIB    private memory of the process that serves one client (2048)\n"
    "  --request-time=SECONDS how long one compile may take (60)\n"
    "  --keep=MIB             compiled code that is kept for later clients (256)\n"
    "  --status               say what a server at that socket does, and end\n";

[[noreturn]] void Refuse(const std::string& message) {
  std::fprintf(stderr, "firstcall: %s\n", message.c_str());
  std::exit(1);
}

double Number(absl::string_view name, absl::string_view text) {
  double value = 0;
  if (!absl::SimpleAtod(text, &value) || !(value > 0) || value > 1e9) {
    Refuse(absl::StrCat("serve: option '", name, "' needs a number above 0, at most a billion"));
  }
  return value;
}

void Print(const char* text) {
  if (std::fputs(text, stdout) < 0 || std::fflush(stdout) != 0) Refuse("cannot write the output");
}

absl::StatusOr<std::string> Ask(const std::string& path) {
  const absl::Duration deadline = SteadyNow() + kBudget;
  absl::StatusOr<std::unique_ptr<ClientSocket>> socket = ClientSocket::Connect(path, deadline);
  if (!socket.ok()) return socket.status();
  const char question = static_cast<char>(ServerMessage::kStatus);
  absl::Status sent = SendPacket((*socket)->number(), {&question, 1});
  if (!sent.ok()) return sent;
  absl::StatusOr<Packet> answer = ReceivePacket((*socket)->number(), deadline);
  if (!answer.ok()) return answer.status();
  return std::move(answer->bytes);
}

}  // namespace

ServeArguments ParseServeArguments(const std::vector<std::string>& arguments) {
  ServeArguments parsed;
  for (absl::string_view argument : arguments) {
    absl::string_view rest = argument;
    absl::ConsumePrefix(&rest, "-");
    absl::ConsumePrefix(&rest, "-");
    if (rest == "help" || rest == "h") {
      Print(kUsage);
      std::exit(0);
    } else if (rest == "status") {
      parsed.status = true;
    } else if (absl::ConsumePrefix(&rest, "socket=")) {
      parsed.socket = std::string(rest);
    } else if (absl::ConsumePrefix(&rest, "workers=")) {
      parsed.workers = std::floor(Number("--workers", rest));
      if (parsed.workers < 1) Refuse("serve: option '--workers' needs a number from 1 on");
    } else if (absl::ConsumePrefix(&rest, "worker-memory=")) {
      parsed.worker_memory = Number("--worker-memory", rest);
    } else if (absl::ConsumePrefix(&rest, "request-time=")) {
      parsed.request_time = Number("--request-time", rest);
    } else if (absl::ConsumePrefix(&rest, "keep=")) {
      parsed.kept = Number("--keep", rest);
    } else {
      Refuse(absl::StrCat("serve: unknown option '", argument, "'; --help lists them"));
    }
  }
  if (parsed.socket.empty()) parsed.socket = DefaultSocketPath();
  if (parsed.socket.empty() && std::getenv("LISTEN_FDS") == nullptr) {
    Refuse("serve: $XDG_RUNTIME_DIR is not set: name a socket with --socket=PATH");
  }
  return parsed;
}

int PrintServerStatus(const ServeArguments& arguments) {
  const absl::StatusOr<std::string> text = Ask(arguments.socket);
  if (!text.ok()) Refuse(std::string(text.status().message()));
  Print(text->c_str());
  return 0;
}

}  // namespace firstcall
