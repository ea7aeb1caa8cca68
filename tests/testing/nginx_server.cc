#include "tests/testing/nginx_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/testing/certificate.h"

namespace firstcall {
namespace {

constexpr char kNginx[] = "/usr/sbin/nginx";

// DIR, LISTEN, MARKER, TLS and LOCATION are replaced. Everything that nginx writes is in DIR.
constexpr char kConfiguration[] = R"(
daemon off;
master_process off;
pid DIR/nginx.pid;
error_log DIR/error.log;
events {}
http {
  log_format short '$request_method $request_uri $status';
  log_format connection '$connection';
  access_log DIR/access.log short;
  access_log DIR/connections.log connection;
  client_body_temp_path DIR/body;
  proxy_temp_path DIR/proxy;
  fastcgi_temp_path DIR/fastcgi;
  uwsgi_temp_path DIR/uwsgi;
  scgi_temp_path DIR/scgi;
  # Answers when all earlier requests are in the log: there is one process.
  server {
    listen 127.0.0.1:MARKER;
    access_log off;
    return 204;
  }
  server {
    listen LISTEN;
    TLS
    root DIR/data;
    client_max_body_size 64m;
    location / {
      dav_methods PUT;
      create_full_put_path on;
      LOCATION
    }
  }
})";

constexpr char kTls[] = "ssl_certificate DIR/certificate.pem; ssl_certificate_key DIR/key.pem;";
constexpr char kClients[] = "ssl_client_certificate DIR/certificate.pem; ssl_verify_client on;";

}  // namespace

bool NginxServer::IsInstalled() { return access(kNginx, X_OK) == 0 && Certificate::CanBeMade(); }

NginxServer::NginxServer(Options options)
    : options_(std::move(options)), port_(FreePort()), marker_port_(FreePort()) {
  std::string name = ::testing::TempDir() + "/nginxXXXXXX";
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  directory_ = name;
  std::filesystem::create_directories(Folder());
  std::string tls;
  if (options_.has_tls) {
    const Certificate certificate(directory_);
    tls = absl::StrCat(kTls, options_.asks_certificate ? kClients : "");
  }
  const std::string listen =
      absl::StrCat("127.0.0.1:", port_, options_.has_tls ? " ssl http2" : "");
  const std::string configuration = absl::StrReplaceAll(
      absl::StrReplaceAll(
          kConfiguration,
          {{"LISTEN", listen}, {"MARKER", absl::StrCat(marker_port_)}, {"TLS", tls}}),
      {{"LOCATION", options_.location}, {"DIR", directory_}});
  std::ofstream(directory_ + "/nginx.conf") << configuration;
  process_.Start(
      {kNginx, "-p", directory_, "-e", directory_ + "/error.log", "-c", directory_ + "/nginx.conf"},
      port_);
}

NginxServer::~NginxServer() {
  Kill();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::string NginxServer::Url(const std::string& login) const {
  return absl::StrCat(options_.has_tls ? "https://" : "http://", login, "localhost:", port_,
                      "/cache");
}

void NginxServer::WaitForLog() const {
  const int marker = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(marker_port_);
  EXPECT_EQ(connect(marker, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  constexpr absl::string_view kRequest = "GET / HTTP/1.0\r\n\r\n";
  EXPECT_EQ(write(marker, kRequest.data(), kRequest.size()), kRequest.size());
  char answer;
  EXPECT_EQ(read(marker, &answer, 1), 1);
  close(marker);
}

int NginxServer::ConnectionCount() {
  WaitForLog();
  std::ifstream log(directory_ + "/connections.log");
  std::set<std::string> connections;
  for (std::string line; std::getline(log, line);) connections.insert(line);
  return static_cast<int>(connections.size());
}

std::vector<std::string> NginxServer::TakeRequests() {
  WaitForLog();
  std::ifstream log(directory_ + "/access.log");
  std::vector<std::string> all;
  for (std::string line; std::getline(log, line);) all.push_back(line);
  const size_t taken = std::exchange(requests_taken_, all.size());
  return {all.begin() + static_cast<std::ptrdiff_t>(taken), all.end()};
}

std::vector<std::string> NginxServer::Files() const {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(Folder())) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace firstcall
