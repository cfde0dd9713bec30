#include "harness/cli_app.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "harness/error.hpp"
#include "harness/text.hpp"

namespace bb {
namespace {

// Those of the app and of its groups, which CLI11 keeps as nameless subcommands.
std::vector<CLI::Option*> all_options(CLI::App& app) {
  std::vector<CLI::Option*> out = app.get_options();
  for (CLI::App* group : app.get_subcommands([](CLI::App* sub) { return sub->get_name().empty(); }))
    for (CLI::Option* option : group->get_options()) out.push_back(option);
  return out;
}

std::string unknown_option(CLI::App& app, const std::vector<std::string>& extras) {
  const std::string& word = extras.front();
  if (!word.starts_with("-"))
    return fmt::format("'{}' is not an option; options start with --, as in --workload tree", word);
  std::vector<std::string> known;
  for (const auto* option : all_options(app))
    if (!option->get_lnames().empty()) {
      const std::string name = "--" + option->get_lnames().front();
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    }
  return unknown_word("option", word.substr(0, word.find('=')), known);
}

// "--trials: At Most 1 required but received 2" is true, but says neither what happened nor what would do.
std::string mismatch(const std::string& text) {
  const std::string option = text.substr(0, text.find(':'));
  if (text.find("At Most 1") != std::string::npos)
    return option +
           " is given twice; give it once (a list is one value: in a file it stands in quotes)";
  return option + " needs a value, as in " + option + "=...";
}

}  // namespace

bool parse_arguments(CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed(arguments.rbegin(),
                                    arguments.rend());  // CLI11 takes them from the back
  try {
    app.parse(reversed);
    return true;
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return false;
  } catch (const CLI::ConfigError& fault) {
    throw usage_error(fmt::format("--config: {}; `bb {} --help` lists the options", fault.what(),
                                  app.get_name()));
  } catch (const CLI::ExtrasError&) {
    throw usage_error(unknown_option(app, app.remaining()));
  } catch (const CLI::FileError& fault) {
    throw input_error(fmt::format("--config: {}", fault.what()));
  } catch (const CLI::ArgumentMismatch& fault) {
    throw usage_error(mismatch(fault.what()));
  } catch (const CLI::ParseError& fault) {
    throw usage_error(
        fmt::format("{}; `bb {} --help` lists the options", fault.what(), app.get_name()));
  }
}

void name_environment(CLI::App& app) {
  for (auto* option : all_options(app)) {
    if (option->get_lnames().empty() || option->get_lnames().front() == "help" ||
        option->get_lnames().front() == "config")  // read before the others
      continue;
    std::string name = "BB_" + option->get_lnames().front();
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
      return c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    });
    option->envname(name);
  }
}

}  // namespace bb
