#include "base/passed_files.h"

#include <cstring>

namespace firstcall {

void PassedFiles::Attach(absl::Span<const int> files, msghdr& message) {
  if (files.empty()) return;
  const size_t size = files.size() * sizeof(int);
  std::memset(space_, 0, sizeof(space_));
  message.msg_control = space_;
  message.msg_controllen = CMSG_SPACE(size);
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(size);
  std::memcpy(CMSG_DATA(header), files.data(), size);
}

void PassedFiles::MakeRoom(msghdr& message) {
  message.msg_control = space_;
  message.msg_controllen = sizeof(space_);
}

std::vector<File> PassedFiles::Take(const msghdr& message) {
  std::vector<File> files;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(const_cast<msghdr*>(&message), header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int file = -1;
      std::memcpy(&file, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      files.emplace_back(file);
    }
  }
  return files;
}

}  // namespace firstcall
