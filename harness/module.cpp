#include "harness/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "harness/error.hpp"

namespace bb {
namespace {

// Programs lie one folder below the root of the build, modules in its folder `runtimes`; so a build can be moved.
std::string path_of(const std::string& name) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "runtimes" / fmt::format("bb_{}.so", name);
}

row open_module(const std::string& name) {
  void* handle = dlopen(path_of(name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    throw error(1, fmt::format("module {} cannot be loaded: {}; build bb again", name, dlerror()));
  const auto describe = reinterpret_cast<void (*)(row&)>(dlsym(handle, "bb_module_row"));
  if (describe == nullptr)
    throw error(1, fmt::format("module {} is not one of bb: {}", name, dlerror()));
  row r;
  describe(r);
  return r;
}

}  // namespace

const row& load_module(const std::string& name) {
  static std::map<std::string, row> loaded;
  const auto it = loaded.find(name);
  return it != loaded.end() ? it->second : loaded.emplace(name, open_module(name)).first->second;
}

std::unique_ptr<cell_body> make_from_module(const std::string& name, std::string_view workload,
                                            std::string_view variant, const erased_input& input,
                                            const config& c) {
  for (const auto& body : load_module(name).bodies)
    if (body.workload == workload && body.variant == variant) return body.make(input, c);
  throw error(
      1, fmt::format("module {} has no {} body for {}; build bb again", name, variant, workload));
}

}  // namespace bb
