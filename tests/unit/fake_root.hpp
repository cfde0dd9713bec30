#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/system_files.hpp"

namespace bb::test {

/// A folder that stands for "/" while the object lives: put the files of the machine that the test wants.
class fake_root {
 public:
  fake_root() {
    std::string pattern = (std::filesystem::temp_directory_path() / "bb-root-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  ~fake_root() { std::filesystem::remove_all(folder_); }
  fake_root(const fake_root&) = delete;
  fake_root& operator=(const fake_root&) = delete;

  fake_root& put(const std::string& path, const std::string& text) {
    const auto file = folder_ / path.substr(1);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::trunc) << text << '\n';
    return *this;
  }

  /// Something that exists and cannot be read, for root too.
  fake_root& put_unreadable(const std::string& path) {
    std::filesystem::create_directories(folder_ / path.substr(1));
    return *this;
  }

  [[nodiscard]] system_root root() const { return system_root(folder_); }

 private:
  std::filesystem::path folder_;
};

}  // namespace bb::test
