// Reads a configuration file with toml++.
#include "server/config_file.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
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
  const std::string unknown = "unknown key " + printable(key, kShownMax);
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

// Returns true if the option has a check for numbers.
bool is_number(CLI::Option& option) {
  try {
    return option.get_validator(host::kNumberCheck) != nullptr;
  } catch (const CLI::OptionNotFound&) {
    return false;
  }
}

// Returns the fault of a value with its remedy; nothing if the option accepts the value.
// `is_text`: the value is in quotes.
Problem fault_of(CLI::Option& option, const std::string& key, const std::string& word,
                 bool is_text) {
  if (option.get_expected_min() == 0) {
    if (!is_text && (word == "true" || word == "false")) return {};
    return Error::at(key, " must be true or false");
  }
  if (word.empty()) return Error::at(key, " is empty; give it a value, or leave the line out");
  if (!is_text && !is_number(option)) {
    const bool plain = word.find_first_of("\"'\\[]{}") == word.npos;
    return Error::at(key, " must be text in quotes: " + key + " = \"" +
                              (plain ? printable(word, kShownMax) : "...") + '"');
  }
  const std::string why = host::refusal_of(option, word);
  return why.empty() ? Problem() : Error::at(key, ": " + printable(why));
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
  const Problem fault = fault_of(*option.value(), key, word, node.is_string());
  if (fault) return *fault;
  return "--" + key + '=' + word;
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) + 1 - first));
}

// Returns the fault of line `number`, at which the parser stopped, with its remedy. Returns nothing
// if the fault begins in an earlier line, or is of another kind.
Problem fault_of(CLI::App& app, const std::string& text, std::size_t number) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i < number; ++i) begin = text.find('\n', begin) + 1;
  const std::string line = text.substr(begin, text.find('\n', begin) - begin);
  const std::size_t equals = line.find('=');
  if (equals == line.npos) return {};
  const std::string value =
      trimmed(std::string_view(line).substr(equals + 1, line.find('#', equals) - equals - 1));
  const auto before = toml::parse(text.substr(0, begin)), as_is = toml::parse(line);
  const auto as_text = toml::parse(line.substr(0, equals) + "='" + value + "'");
  const auto& own = as_is ? as_is : as_text;
  if (!before || !own || own.table().size() != 1) return {};
  const std::string key(own.table().begin()->first.str());
  if (const auto first = before.table().find(key); first != before.table().end()) {
    return Error::at(key, " is given twice, first in line " +
                              std::to_string(first->first.source().begin.line) +
                              "; keep one of them");
  }
  if (as_is || value.starts_with('"')) return {};
  const auto option = option_of(app, key);
  if (!option) return option.error();
  if (const Problem fault = fault_of(*option.value(), key, value, false)) return fault;
  std::int64_t whole = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), whole);
  if (read.ec != std::errc::result_out_of_range) return {};
  return Error::at(
      key, ": numbers above 9223372036854775807 must be in quotes: " + key + " = \"" + value + '"');
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
    const Place place = place_of(path, parsed.error().source());
    const Problem fault = fault_of(app, text, place.line);
    Error error = fault.value_or(Error{printable(parsed.error().description()) + kForm});
    error.code = ErrorCode::syntax;
    error.place = {place.source, place.line, place.column, error.place.key};
    return error;
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
