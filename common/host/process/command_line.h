// Describes wrong command lines, and checks the values of options.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "common/core/nearest.h"
#include "common/core/printable.h"
#include "common/core/result.h"

namespace orrery::host {

// Returns the hint that ends an error: "; see orrery run --help".
inline std::string see_help_of(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* up = app.get_parent(); up; up = up->get_parent()) {
    name = up->get_name() + ' ' + name;
  }
  return "; see " + name + " --help";
}

// Returns the options of `app` ("--name") if `options` is true, else its verbs.
inline std::vector<std::string> known_words(const CLI::App& app, bool options) {
  std::vector<std::string> names;
  for (const CLI::App* const verb : app.get_subcommands({})) {
    if (!options) names.push_back(verb->get_name());
  }
  for (const CLI::Option* const option : app.get_options()) {
    if (!options) break;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// A check that a name is not empty. A script with an unset variable would otherwise pass an empty
// name, which means "no file" to most options.
inline const CLI::Validator kGiven(
    [](const std::string& name) { return std::string(name.empty() ? "the name is empty" : ""); },
    "");

// A check for the name of a file that a line on stdout shows: it is not empty and has no control
// characters, so it cannot end the line or change the terminal.
inline const CLI::Validator kGivenInOneLine(
    [](const std::string& name) {
      const bool plain = std::none_of(name.begin(), name.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
      });
      if (!plain) return std::string("the name has control characters; give another name");
      return std::string(name.empty() ? "the name is empty" : "");
    },
    "");

// The name of the checks for numbers. The reader of configuration files recognises options with
// numbers by it.
inline constexpr const char* kNumberCheck = "number";

// Returns a check for a decimal number from `least` to `most`; for a whole number if `Number` is an
// integer type. CLI11's own checks accept more: -1 and numbers that are too large become 2^64 - 1,
// 010 is read as 8, and nan lies in every range.
template <class Number>
CLI::Validator number_in(Number least, Number most) {
  const auto text = [](Number number) { return CLI::detail::to_string(number); };
  const std::string range = text(least) + " to " + text(most);
  const auto check = [=](const std::string& word) {
    Number number{};
    const char* const end = word.data() + word.size();
    const auto [read_to, error] = std::from_chars(word.data(), end, number);
    const bool octal = word.size() > 1 && word[0] == '0' && std::is_integral_v<Number>;
    const bool fits = error == std::errc{} && read_to == end && !octal;
    if (fits && number >= least && number <= most) return std::string();
    return word + " is not a " + (std::is_integral_v<Number> ? "whole number" : "number") +
           " from " + range;
  };
  return CLI::Validator(check, "[" + range + "]", kNumberCheck);
}

// A check for any whole number below 2^64, such as a seed or an identifier. The help shows no
// range.
inline const CLI::Validator kAnyNumber =
    number_in(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()).description("");

// Appends all verbs below `app`, on all levels, as they are typed: "orrery log check".
inline void add_verbs_below(const CLI::App& app, const std::string& typed,
                            std::vector<std::string>& verbs) {
  for (const CLI::App* const verb : app.get_subcommands({})) {
    verbs.push_back(typed + ' ' + verb->get_name());
    add_verbs_below(*verb, std::string(verbs.back()), verbs);
  }
}

// Returns the verb with the name nearest to the word, as it is typed; empty if none is near.
inline std::string verb_elsewhere(const CLI::App& app, const std::string& word) {
  const CLI::App* program = &app;
  while (program->get_parent()) program = program->get_parent();
  std::vector<std::string> verbs;
  add_verbs_below(*program, program->get_name(), verbs);
  std::vector<std::string_view> names;
  for (const std::string& verb : verbs) names.emplace_back(verb.data() + verb.rfind(' ') + 1);
  const std::string_view meant = nearest_name(word, names);
  const auto at = std::find_if(names.begin(), names.end(),
                               [&](std::string_view name) { return name.data() == meant.data(); });
  return at == names.end() ? "" : verbs[static_cast<std::size_t>(at - names.begin())];
}

// Returns the error for an unexpected word, with the option or verb that was probably meant.
inline std::string unknown_argument_message(const CLI::App& app, const std::string& first) {
  const bool option = first.starts_with("-");
  const std::string word = option ? first.substr(0, first.find('=')) : first;
  const std::vector<std::string> known = known_words(app, option);
  std::string meant(nearest_name(word, std::vector<std::string_view>(known.begin(), known.end())));
  if (meant.empty() && !option && !known.empty()) meant = verb_elsewhere(app, word);
  const std::string text = (option          ? "unknown option "
                            : known.empty() ? "unexpected argument: "
                                            : "unknown verb ") +
                           printable(word);
  return meant.empty() ? text + see_help_of(app) : text + "; did you mean " + meant + "?";
}

// Returns the reason why an option refuses a word; empty if it accepts the word.
inline std::string refusal_of(CLI::Option& option, const std::string& word) {
  try {
    for (int check = 0;; ++check) {
      const std::string why = (*option.get_validator(check))(word);
      if (!why.empty()) return why;
    }
  } catch (const CLI::OptionNotFound&) {  // after the last check
    return {};
  }
}

// Returns an error of CLI11, in our own words where CLI11 is obscure. `last` is the last word of
// the command line: CLI11 finds a value missing only there.
inline Error error_of(CLI::App& app, const CLI::ParseError& error, const std::string& last) {
  const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
  if (kind == CLI::ExitCodes::RequiredError && !app.get_subcommands({}).empty()) {
    return {"a verb is missing", ErrorCode::syntax};
  }
  for (CLI::Option* const option : app.get_options()) {
    for (const std::string& word : option->results()) {
      if (const std::string why = refusal_of(*option, word); !why.empty()) {
        return Error::at(option->get_name(), ": " + printable(why));
      }
    }
  }
  if (kind != CLI::ExitCodes::ArgumentMismatch) return {printable(error.what()), ErrorCode::syntax};
  for (const CLI::Option* const option : app.get_options()) {
    const int most = option->get_items_expected_max();
    if (most > 0 && option->count() > static_cast<std::size_t>(most)) {
      return Error::at(option->get_name(), ": is given more than once");
    }
  }
  return Error::at(printable(last), ": a value is missing");
}

// Returns an error with the mistake and the remedy. Reports an unknown word before a missing one,
// because the unknown word is often the missing one, misspelt.
inline Error complaint(CLI::App& program, const CLI::ParseError& error, const std::string& last) {
  CLI::App* app = &program;
  while (app->remaining_size() == 0) {
    const std::vector<CLI::App*> verbs = app->get_subcommands();
    if (!verbs.empty()) {
      app = verbs.back();
      continue;
    }
    Error found = error_of(*app, error, last);
    found.message += see_help_of(*app);
    return found;
  }
  return {unknown_argument_message(*app, app->remaining().front()), ErrorCode::syntax};
}

}  // namespace orrery::host
