// Lays out the help of `orrery` in 80 columns, and answers `orrery help VERB`.
#include "client/cli/command_line/help.h"

#include <cstdio>
#include <sstream>
#include <utility>
#include <vector>

#include "client/cli/unusable.h"
#include "common/host/process/command_line.h"

namespace orrery::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kOptionColumn = 26;  // where the descriptions of options start
constexpr std::size_t kVerbColumn = 14;    // where the descriptions of verbs start

// Appends one line of a description. It is broken between words to fit the width.
void append_wrapped(const std::string& line, std::size_t column, std::string& out) {
  const std::string margin = '\n' + std::string(column, ' ');
  if (column + line.size() <= kWidth) {
    out += line;
    return;
  }
  std::istringstream words(line);
  std::size_t used = 0;
  for (std::string word; words >> word;) {
    if (used > 0 && column + used + 1 + word.size() > kWidth) {
      out += margin;
      used = 0;
    }
    out.append(used == 0 ? "" : " ").append(word);
    used += (used == 0 ? 0 : 1) + word.size();
  }
}

// Returns an entry of a list: a name, and its description, which starts in column `column`.
std::string entry(const std::string& name, const std::string& description, std::size_t column) {
  std::string out = "  " + name;
  const bool fits = out.size() + 2 <= column;
  out += fits ? std::string(column - out.size(), ' ') : '\n' + std::string(column, ' ');
  std::istringstream lines(description);
  bool first = true;
  for (std::string line; std::getline(lines, line); first = false) {
    if (!first) out += '\n' + std::string(column, ' ');
    append_wrapped(line, column, out);
  }
  return out + '\n';
}

// The type of an option's value: its name and its range. CLI11 has both in one text, such as
// "N:[1 to 256]".
struct ValueType {
  std::string name;
  std::string range;  // empty: any value
};

ValueType type_of(const CLI::Option& option) {
  const std::string text = option.get_type_name();
  const std::size_t range = text.find(":[");
  if (range == std::string::npos) return {text, ""};
  return {text.substr(0, range), text.substr(range + 2, text.size() - range - 3)};
}

// Returns a list in parentheses: "required" if the option is required, its range, its default, and
// the options that it needs or excludes. Returns an empty string if there is nothing to list.
std::string limits_of(const CLI::Option& option, bool is_positional) {
  std::vector<std::string> parts;
  if (option.get_required() && !is_positional) parts.push_back("required");
  if (const std::string range = type_of(option).range; !range.empty()) parts.push_back(range);
  const std::string standard = option.get_default_str();
  if (!standard.empty()) parts.push_back("default: " + standard);
  for (const CLI::Option* other : option.get_needs()) parts.push_back("needs " + other->get_name());
  for (const CLI::Option* other : option.get_excludes()) {
    parts.push_back("not with " + other->get_name());
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "(" : "; ") + part;
  return text.empty() ? text : text + ')';
}

}  // namespace

HelpFormatter::HelpFormatter() { label("SUBCOMMAND", "VERB"); }

std::string HelpFormatter::make_usage(const CLI::App* verb, std::string name) const {
  return '\n' + CLI::Formatter::make_usage(verb, std::move(name));
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = make_option_name(option, is_positional);
  const bool takes_value = option->get_type_size() != 0;
  if (takes_value && !is_positional) name += ' ' + type_of(*option).name;
  const bool is_list = option->get_expected_max() == CLI::detail::expected_max_vector_size;
  if (is_list) name += "...";
  std::string description = option->get_description();
  const std::string limits = limits_of(*option, is_positional);
  if (!limits.empty() && !description.ends_with('\n')) description += ' ';
  return entry(name, description + limits, kOptionColumn);
}

std::string HelpFormatter::make_subcommand(const CLI::App* verb) const {
  return entry(verb->get_name(), verb->get_description(), kVerbColumn);
}

int print_help(const CLI::App& program, std::span<const char* const> words) {
  const CLI::App* verb = &program;
  std::string typed;  // the verbs above `verb`
  for (const char* const each : words) {
    const std::string word = each;
    const std::vector<const CLI::App*> verbs =
        verb->get_subcommands([&](const CLI::App* app) { return app->get_name() == word; });
    if (verbs.empty()) return unusable(host::unknown_argument_message(*verb, word));
    typed += verb->get_name() + ' ';
    verb = verbs.front();
  }
  std::fputs(verb->help(typed.substr(0, typed.empty() ? 0 : typed.size() - 1)).c_str(), stdout);
  return 0;
}

}  // namespace orrery::cli
