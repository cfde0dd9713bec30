#include "harness/tool_record.hpp"

#include <fmt/format.h>

#include "build_info.hpp"

namespace bb {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

bool debug_build() {
#ifdef NDEBUG
  return std::string_view(build_info::sanitizers) != "";
#else
  return true;
#endif
}

json tool_record(const registry& table) {
  json runtimes = json::object();
  for (const auto& r : table.rows())
    runtimes[r.id] = r.version != nullptr ? json(r.version()) : json(nullptr);
  return {{"name", "bb"},
          {"version", build_info::version},
          {"commit", build_info::commit},
          {"build",
           {{"compiler", compiler()},
            {"flags", build_info::flags},
            {"type", build_info::type},
            {"sanitizers", build_info::sanitizers},
            {"debug", debug_build()}}},
          {"runtimes", runtimes}};
}

std::string version_text() {
  return fmt::format("bb {} ({}), {} {}, {}\n", build_info::version, build_info::commit,
                     build_info::type, compiler(), build_info::flags);
}

}  // namespace bb
