#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace bb::test {

/// The topology files of the project and, when BB_EXTRA_DATA names a folder of more, those too;
/// sorted.
inline std::vector<std::filesystem::path> topology_files(bool to_be_refused) {
  std::vector<std::filesystem::path> folders{BB_SOURCE_DIR "/tests/data/topologies"};
  if (const char* extra = std::getenv("BB_EXTRA_DATA")) {
    folders.emplace_back(std::filesystem::path(extra) / "topologies");
  }
  std::vector<std::filesystem::path> files;
  for (const auto& folder : folders) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const bool refused =
          entry.path().filename().string().find("must-be-refused") != std::string::npos;
      if (refused == to_be_refused) files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

/// A test name out of a file name.
inline std::string file_label(const testing::TestParamInfo<std::filesystem::path>& info) {
  std::string label = info.param.stem().string();
  std::ranges::replace_if(
      label, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return label;
}

}  // namespace bb::test
