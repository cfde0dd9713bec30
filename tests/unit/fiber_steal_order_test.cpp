// steal_order on the topology files of real machines. The files are read here by hand, because the library does without
// hwloc: only the nesting of packages, L3 caches, cores and processing units matters.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "runtimes/fiber/topology.hpp"
#include "tests/unit/topology_files.hpp"

namespace {

using fiber::cpu_place;
using fiber::steal_tier;
using fiber::steal_victim;

std::string attribute(const std::string& tag, const std::string& name) {
  std::smatch found;
  return std::regex_search(tag, found, std::regex(" " + name + "=\"([^\"]*)\"")) ? found[1].str()
                                                                                 : "";
}

// What an object is for us: package, l3, core, pu or nothing. Old files have other names.
std::string kind_of(const std::string& tag) {
  const std::string type = attribute(tag, "type");
  if (type == "Package" || type == "Socket") return "package";
  if (type == "L3Cache" || (type == "Cache" && attribute(tag, "depth") == "3")) return "l3";
  if (type == "Core") return "core";
  return type == "PU" ? "pu" : "";
}

std::vector<cpu_place> places_in(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string xml = text.str();
  std::vector<cpu_place> places;
  std::vector<std::string> open;
  std::map<std::string, int> count;
  std::map<std::string, int> inside;
  const std::regex tags("<object [^>]*>|</object>");
  for (std::sregex_iterator each(xml.begin(), xml.end(), tags), end; each != end; ++each) {
    const std::string tag = each->str();
    if (tag == "</object>") {
      inside.erase(open.back());
      open.pop_back();
      continue;
    }
    const std::string kind = kind_of(tag);
    const auto of = [&](const char* what) { return inside.contains(what) ? inside[what] : -1; };
    if (kind == "pu") {
      places.push_back(
          {std::stoi(attribute(tag, "os_index")), of("core"), of("l3"), of("package")});
    }
    if (tag.ends_with("/>")) continue;
    open.push_back(kind);
    if (!kind.empty()) inside[kind] = count[kind]++;
  }
  return places;
}

bool share(int a, int b) { return a >= 0 && a == b; }

// Said again in other words than the library's.
steal_tier expected_tier(const cpu_place& a, const cpu_place& b) {
  if (a.package != b.package) return steal_tier::other_package;
  if (share(a.core, b.core) && a.l3 == b.l3) return steal_tier::smt_sibling;
  return share(a.l3, b.l3) ? steal_tier::same_l3 : steal_tier::same_package;
}

class FiberStealOrderOn : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(FiberStealOrderOn, EveryThiefVisitsEveryOtherOnceNearestFirst) {
  const std::vector<cpu_place> places = places_in(GetParam());
  ASSERT_FALSE(places.empty());
  for (std::uint32_t thief = 0; thief < places.size(); ++thief) {
    const auto order = fiber::steal_order(places, thief, 3);
    ASSERT_EQ(order.size(), places.size() - 1);
    std::set<std::uint32_t> seen;
    for (const steal_victim& each : order) {
      EXPECT_TRUE(each.index != thief && seen.insert(each.index).second);
      EXPECT_EQ(each.tier, expected_tier(places[thief], places[each.index]));
    }
    EXPECT_TRUE(std::ranges::is_sorted(order, {}, &steal_victim::tier));
    EXPECT_EQ(order, fiber::steal_order(places, thief, 3));
  }
}

INSTANTIATE_TEST_SUITE_P(Files, FiberStealOrderOn,
                         ::testing::ValuesIn(bb::test::topology_files(false)),
                         [](const auto& info) {
                           std::string name = info.param.stem().string();
                           for (char& letter : name) {
                             if (std::isalnum(static_cast<unsigned char>(letter)) == 0)
                               letter = '_';
                           }
                           return name;
                         });

}  // namespace
