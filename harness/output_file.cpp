#include "harness/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "harness/error.hpp"
#include "harness/process.hpp"

namespace bb {
namespace {

[[noreturn]] void refuse(const std::string& path, int fault) {
  const char* remedy = fault == ENOENT   ? "; its folder does not exist"
                       : fault == ENOSPC ? "; free some space or name another place"
                       : fault == EACCES ? "; name a place that you may write to"
                       : fault == EISDIR ? "; name a file in it"
                                         : "";
  throw output_error(fmt::format("cannot write '{}': {}{}", path, std::strerror(fault), remedy));
}

// By hand, since realpath() refuses a link whose target is still to be made.
std::string resolve(const std::string& path) {
  std::filesystem::path p = path;
  std::error_code fault;
  for (int links = 0; links < 40 && std::filesystem::is_symlink(p, fault); ++links) {
    const auto target = std::filesystem::read_symlink(p, fault);
    p = target.is_absolute() ? target : p.parent_path() / target;
  }
  return p.string();
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Blocks until there is a reader, as it does for cat; a signal ends it.
std::shared_ptr<const int> open_fifo(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return nullptr;
  return {new int(fd), [](const int* open_fd) {
            close(*open_fd);
            delete open_fd;
          }};
}

}  // namespace

bool output_file::is_stdout() const {
  return path_ == "-" || path_ == "/dev/stdout" || path_ == "/dev/fd/1" ||
         path_ == "/proc/self/fd/1";
}

std::string output_file::identity() const {
  struct stat s {};
  const bool known = is_stdout() ? fstat(STDOUT_FILENO, &s) == 0 : stat(target_.c_str(), &s) == 0;
  if (is_stdout() && (!known || S_ISCHR(s.st_mode))) return "stdout";
  if (known && S_ISCHR(s.st_mode)) return fmt::format("device {}", static_cast<const void*>(this));
  if (known) return fmt::format("{}:{}", s.st_dev, s.st_ino);
  std::error_code fault;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(target_), fault).string();
}

output_file::output_file(std::string path) : path_(std::move(path)), target_(resolve(path_)) {
  if (is_stdout()) return;
  struct stat s {};
  if (stat(target_.c_str(), &s) != 0) {
    if (errno != ENOENT) refuse(path_, errno);
    if (access(folder_of(target_).c_str(), W_OK | X_OK) != 0) refuse(path_, errno);
    rewritable_ = true;
    return;
  }
  if (S_ISDIR(s.st_mode)) refuse(path_, EISDIR);
  if (S_ISFIFO(s.st_mode)) {
    fifo_ = open_fifo(target_);
    if (fifo_ == nullptr) refuse(path_, errno);
    return;
  }
  if (access(target_.c_str(), W_OK) != 0) refuse(path_, errno);
  // A file in a folder that takes no new files is written in place, once.
  rewritable_ = S_ISREG(s.st_mode) && access(folder_of(target_).c_str(), W_OK | X_OK) == 0;
}

void output_file::write(std::string_view text) const {
  if (rewritable_)
    replace(text);
  else
    stream(text);
}

void output_file::replace(std::string_view text) const {
  std::string temporary = target_ + ".XXXXXX";
  const int fd = mkstemp(temporary.data());
  if (fd < 0) refuse(path_, errno);
  struct stat old {};
  const mode_t mask = umask(0);
  umask(mask);
  const mode_t mode = stat(target_.c_str(), &old) == 0 ? old.st_mode & 07777 : 0666 & ~mask;
  bool good = fchmod(fd, mode) == 0 && write_all(fd, text) && fsync(fd) == 0;
  int fault = errno;
  if (close(fd) != 0 && good) good = false, fault = errno;
  if (good && rename(temporary.c_str(), target_.c_str()) != 0) good = false, fault = errno;
  if (good) return;
  unlink(temporary.c_str());
  refuse(path_, fault);
}

void output_file::stream(std::string_view text) const {
  const int fd = is_stdout()        ? dup(STDOUT_FILENO)
                 : fifo_ != nullptr ? dup(*fifo_)
                                    : open(target_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) refuse(path_, errno);
  bool good = write_all(fd, text);
  int fault = errno;
  // Devices, pipes and sockets have nothing to sync.
  if (good && fsync(fd) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
    good = false, fault = errno;
  if (close(fd) != 0 && good) good = false, fault = errno;
  if (!good) refuse(path_, fault);
}

}  // namespace bb
