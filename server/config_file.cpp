// Reads a configuration file with toml++.
#include "server/config_file.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "common/core/nearest.h"
#include "common/core/printable.h"
#include "common/host/disk/file.h"
#include "common/host/process/command_line.h"

namespace orrery::server {
namespace {

constexpr std::size_t kConfigBytesMax = std::size_t{64} << 10;

constexpr std::array<std::string_view, 4> kCommandLineOnly = {"config", "help", "version",
                                                              "resume"};

constexpr const char* kForm =
    "; a line is KEY = VALUE, each key once: scene = \"solar\", threads = 2 or shadow = true";

bool is_for_command_line_only(std::string_view name) {
  return std::find(kCommandLineOnly.begin(), kCommandLineOnly.end(), name) !=
         kCommandLineOnly.end();
}

// Returns the option of a key. An Error suggests the most similar key.
Result<CLI::Option*> option_of(CLI::App& app, const std::string& key) {
  std::string name = key.substr(std::min(key.find_first_not_of('-'), key.size()));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return c == '_' ? '-' : static_cast<char>(std::tolower(c));
  });
  if (is_for_command_line_only(name)) return Error{name + " is for the command line only"};
  CLI::Option* const option = app.get_option_no_throw("--" + name);
  if (option && name == key) return option;
  const std::string unknown = "unknown key " + printable(key, 40);
  if (option) return Error{unknown + "; the key is " + name};
  std::vector<std::string_view> known;
  for (const CLI::Option* const each : app.get_options()) {
    for (const std::string& word : each->get_lnames()) {
      if (!is_for_command_line_only(word)) known.push_back(word);
    }
  }
  return Error{unknown + suggestion(name, known)};
}

// Returns the value as it is typed on a command line.
std::string word_of(const toml::node& node) {
  if (const auto* const text = node.as_string()) return text->get();
  if (const auto* const whole = node.as_integer()) return std::to_string(whole->get());
  std::ostringstream word;
  node.visit([&](const auto& value) { word << value; });
  return word.str();
}

// Returns the reason why an option refuses a word; empty if it accepts the word.
std::string refusal_of(CLI::Option& option, const std::string& word) {
  try {
    for (int check = 0;; ++check) {
      const std::string why = (*option.get_validator(check))(word);
      if (!why.empty()) return why;
    }
  } catch (const CLI::OptionNotFound&) {  // after the last check
    return {};
  }
}

// Returns true if the option has a check for numbers.
bool is_number(CLI::Option& option) {
  try {
    return option.get_validator(host::kNumberCheck) != nullptr;
  } catch (const CLI::OptionNotFound&) {
    return false;
  }
}

// Returns a key and its value as an argument of the command line.
Result<std::string> argument_of(CLI::App& app, const std::string& key, const toml::node& node) {
  const auto* const table = node.as_table();
  if ((table && !table->is_inline()) || node.is_array_of_tables()) {
    return Error{"a configuration file has no sections and no keys with dots; write KEY = VALUE"};
  }
  const auto option = option_of(app, key);
  if (!option) return option.error();
  const std::string word = word_of(node);
  if (option.value()->get_expected_min() == 0) {
    if (!node.is_boolean()) return Error{key + " must be true or false"};
  } else if (word.empty()) {
    return Error{key + " is empty; give it a value, or leave the line out"};
  } else if (!node.is_string() && !is_number(*option.value())) {
    return Error{key + " must be text in quotes"};
  } else if (const std::string why = refusal_of(*option.value(), word); !why.empty()) {
    return Error{key + ": " + printable(why)};
  }
  return "--" + key + '=' + word;
}

Place place_of(const std::string& path, const toml::source_region& source) {
  return {.source = path, .line = source.begin.line, .column = source.begin.column};
}

}  // namespace

Result<std::vector<std::string>> read_config(const std::string& path, CLI::App& app) {
  const Result<std::unique_ptr<host::FileSource>> file = host::FileSource::open(path);
  if (!file) return file.error();
  std::vector<std::uint8_t> bytes;
  if (Status status = file.value()->read_up_to(kConfigBytesMax + 1, bytes); !status) {
    return status.error();
  }
  if (bytes.size() > kConfigBytesMax) return Error{"is larger than 64 KiB"}.in(path);
  const std::string text(bytes.begin(), bytes.end());
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return Error{"is UTF-16; save it as UTF-8", ErrorCode::syntax}.in(path);
  const auto parsed = toml::parse(text);
  if (!parsed) {
    return Error{printable(parsed.error().description()) + kForm, ErrorCode::syntax,
                 place_of(path, parsed.error().source())};
  }
  // Sorted by line, so that the first mistake in the file is reported.
  std::map<std::size_t, std::pair<const toml::key*, const toml::node*>> lines;
  for (const auto& [key, value] : parsed.table()) lines[key.source().begin.line] = {&key, &value};
  std::vector<std::string> arguments;
  for (const auto& [line, entry] : lines) {
    const std::string key(entry.first->str());
    const Result<std::string> argument = argument_of(app, key, *entry.second);
    if (argument) {
      arguments.push_back(argument.value());
      continue;
    }
    Error error{argument.error().message, ErrorCode::invalid,
                place_of(path, entry.first->source())};
    error.place.key = key;
    return error;
  }
  return arguments;
}

}  // namespace orrery::server
