// plot: charts are made by scripts/plot.py (matplotlib); this finds the script and a Python that has matplotlib.

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "harness/error.hpp"
#include "harness/verbs.hpp"

namespace bb {
namespace {

// BB_PLOT_SCRIPT, else scripts/plot.py above the folder of the program: build/PRESET/harness/bb.
std::filesystem::path find_script() {
  if (const char* named = std::getenv("BB_PLOT_SCRIPT"); named != nullptr) return named;
  std::error_code fault;
  auto folder = std::filesystem::read_symlink("/proc/self/exe", fault).parent_path();
  for (int up = 0; up < 5 && !folder.empty(); ++up, folder = folder.parent_path())
    if (auto script = folder / "scripts" / "plot.py"; std::filesystem::exists(script, fault))
      return script;
  throw input_error(
      "scripts/plot.py was not found beside this program; set BB_PLOT_SCRIPT to where it is");
}

}  // namespace

int verb_plot(const registry&, const arguments& args) {
  const std::string script = find_script().string();
  // Debian's matplotlib belongs to /usr/bin/python3; another python3 first on PATH would not find it.
  for (const std::string python : {"/usr/bin/python3", "python3"}) {
    std::vector<char*> argv{const_cast<char*>(python.c_str()), const_cast<char*>(script.c_str())};
    for (const auto& a : args) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    execvp(python.c_str(), argv.data());
  }
  throw error(1, fmt::format("cannot start python3: {}; apt-get install python3 python3-matplotlib",
                             std::strerror(errno)));
}

}  // namespace bb
