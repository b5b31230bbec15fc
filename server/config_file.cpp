// Reads a configuration file with toml++ and explains mistakes in plain words.
#include "server/config_file.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
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

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

enum class Kind { text, number, flag };

Kind kind_of(CLI::Option& option) {
  if (option.get_expected_min() == 0) return Kind::flag;
  try {
    option.get_validator(host::kNumberCheck);
    return Kind::number;
  } catch (const CLI::OptionNotFound&) {
    return Kind::text;
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Returns the text without its quotes, or nothing if it is not a single quoted string.
std::optional<std::string_view> unquoted(std::string_view text) {
  if (text.size() < 2 || (text.front() != '"' && text.front() != '\'')) return std::nullopt;
  if (text.find(text.front(), 1) != text.size() - 1) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

// A line `KEY = VALUE` as text, also if it is not valid TOML.
struct WrittenLine {
  bool is_header = false;  // the line starts with [
  bool has_value = false;
  std::string key;
  std::string value;  // without a trailing comment
};

// Removes a trailing comment. In a quoted value, the comment begins at the first # that follows a
// quote; blanks may be between them.
std::string_view without_comment(std::string_view value) {
  const bool quoted = value.starts_with('"') || value.starts_with('\'');
  if (!quoted) return trimmed(value.substr(0, value.find('#')));
  for (std::size_t end = value.find(value.front(), 1); end != std::string_view::npos;
       end = value.find(value.front(), end + 1)) {
    if (trimmed(value.substr(end + 1)).starts_with('#')) return value.substr(0, end + 1);
  }
  return value;
}

WrittenLine read_line(std::string_view line) {
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  line = trimmed(line);
  WrittenLine written;
  written.is_header = line.starts_with('[');
  const std::size_t equals = line.find('=');
  const std::string_view key = trimmed(line.substr(0, equals));
  written.key = unquoted(key).value_or(key);
  if (equals == std::string_view::npos) return written;
  written.has_value = true;
  written.value = without_comment(trimmed(line.substr(equals + 1)));
  return written;
}

// Explains why the option does not accept the value. If the option accepts the value as it is
// written, TOML has read it in another way. The message then blames a backslash, or a quote or
// bracket that was not closed on an earlier line.
std::string fault_of(CLI::Option& option, const std::string& key, const std::string& value) {
  constexpr const char* kUnclosed =
      " cannot be read; look for a quote or bracket that is not closed, or a backslash in quotes";
  if (value.empty()) return key + " has no value";
  const Kind kind = kind_of(option);
  if (kind == Kind::flag) {
    return key + (value == "true" || value == "false" ? kUnclosed : " must be true or false");
  }
  if (kind == Kind::number) {
    const std::string why = (*option.get_validator(host::kNumberCheck))(value);
    return key + (why.empty() ? kUnclosed : ": " + printable(why));
  }
  if (unquoted(value)) return key + kUnclosed;
  constexpr std::string_view kQuotes = "\"'";
  std::string_view text = value;
  while (!text.empty() && kQuotes.find(text.front()) != kQuotes.npos) text.remove_prefix(1);
  while (!text.empty() && kQuotes.find(text.back()) != kQuotes.npos) text.remove_suffix(1);
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    constexpr std::string_view kNotPlain = "\"'\\[]{}";
    return c > 0x20 && c < 0x7f && kNotPlain.find(c) == kNotPlain.npos;
  });
  return key + " must be text in quotes: " + key + " = \"" + (plain ? std::string(text) : "...") +
         "\"";
}

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

// Reads one file for the options of an app.
class ConfigReader {
 public:
  ConfigReader(const std::string& path, const std::string& text, CLI::App& app)
      : path_(printable(path)), text_(text), app_(app) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) lines_.push_back(read_line(line));
  }

  Result<std::vector<ConfigEntry>> read() {
    const auto parsed = toml::parse(std::string_view(text_), std::string_view(path_));
    if (!parsed) return explain(parsed.error());
    // Sorted by line, so that the first mistake in the file is reported.
    std::map<std::size_t, std::pair<std::string, const toml::node*>> lines;
    for (const auto& [key, value] : parsed.table()) {
      lines[value.source().begin.line] = {std::string(key.str()), &value};
    }
    std::vector<ConfigEntry> entries;
    for (const auto& [line, key_and_value] : lines) {
      auto entry = entry_of(key_and_value.first, *key_and_value.second);
      if (!entry) return entry.error();
      entries.push_back(std::move(entry.value()));
    }
    return entries;
  }

 private:
  std::string place_of(std::size_t line) const {
    return path_ + ": line " + std::to_string(line) + ": ";
  }

  WrittenLine line_at(std::size_t number) const {
    return number - 1 < lines_.size() ? lines_[number - 1] : WrittenLine{};
  }

  static Error header_error(const std::string& place) {
    return Error{place + "a configuration file has no [sections]; write its keys without a header"};
  }

  Result<ConfigEntry> entry_of(const std::string& key, const toml::node& node) const {
    const std::size_t number = node.source().begin.line;
    const std::string place = place_of(number);
    const WrittenLine line = line_at(number);
    if (line.is_header) return header_error(place);
    const auto option = option_of(app_, key);
    if (!option) return Error{place + option.error().message};
    const Kind kind = kind_of(*option.value());
    const auto* const flag = node.as_boolean();
    const auto* const whole = node.as_integer();
    const auto* const text = node.as_string();
    std::string value;
    if (flag && kind == Kind::flag) {
      value = flag->get() ? "true" : "false";
    } else if (whole && kind == Kind::number) {
      value = std::to_string(whole->get());
    } else if (text && text->get().empty()) {
      return Error{place + key + " is empty; give it a value, or leave the line out"};
    } else if (text && kind != Kind::flag) {
      value = text->get();
    } else {
      return Error{place + fault_of(*option.value(), key, line.value)};
    }
    return ConfigEntry{place, "--" + key + "=" + value};
  }

  // Explains a syntax error from the text of the line at which the parser stopped.
  Error explain(const toml::parse_error& error) const {
    const std::size_t number = error.source().begin.line;
    const std::string_view why = error.description();
    const std::string place = place_of(number);
    const WrittenLine line = line_at(number);
    if (why.find("utf-8") != std::string_view::npos) {
      return Error{place + "has bytes that are not UTF-8; save the file as UTF-8"};
    }
    if (line.is_header) return header_error(place);
    if (!line.has_value || line.key.empty()) {
      return Error{place + "expected a line KEY = VALUE, such as scene = \"solar\" or threads = 2"};
    }
    const auto option = option_of(app_, line.key);
    if (!option) return Error{place + option.error().message};
    if (why.find("redefine") != std::string_view::npos) {
      return Error{place + line.key + " is given twice; keep one"};
    }
    return Error{place + fault_of(*option.value(), line.key, line.value)};
  }

  const std::string path_;
  const std::string& text_;
  CLI::App& app_;
  std::vector<WrittenLine> lines_;
};

}  // namespace

Result<std::vector<ConfigEntry>> read_config(const std::string& path, CLI::App& app) {
  const Result<std::unique_ptr<host::FileSource>> file = host::FileSource::open(path);
  if (!file) return file.error();
  std::vector<std::uint8_t> bytes;
  if (Status status = file.value()->read_up_to(kConfigBytesMax + 1, bytes); !status) {
    return status.error();
  }
  if (bytes.size() > kConfigBytesMax) return Error{printable(path) + ": is larger than 64 KiB"};
  const std::string text(bytes.begin(), bytes.end());
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return Error{printable(path) + ": is UTF-16; save it as UTF-8"};
  }
  return ConfigReader(path, text, app).read();
}

}  // namespace orrery::server
