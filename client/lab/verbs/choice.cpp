// Implements the options that verbs of `orrery lab` share, and reads their texts.
#include "client/lab/verbs/choice.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "client/cli/command_line/shared_options.h"
#include "common/core/printable.h"

namespace orrery::cli {

namespace {

std::optional<double> parsed(std::string_view text) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = end.ec == std::errc() && end.ptr == text.data() + text.size();
  if (!whole || !std::isfinite(value)) return std::nullopt;
  return value;
}

Result<lab::Setting> parse_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto value = equals == std::string::npos
                         ? std::nullopt
                         : parsed(std::string_view(text).substr(equals + 1));
  if (!value) {
    return Error::at("--set", " " + printable(text, kShownMax) +
                                  ": must be KEY=VALUE with a finite number, such as k=15");
  }
  return lab::Setting{text.substr(0, equals), *value};
}

}  // namespace

void add_choice(Verb& verb, LabChoice& choice) {
  verb.option("--method", choice.method, "Integration method, from `orrery lab methods`")
      .required()
      .type("NAME");
  verb.option("--problem", choice.problem, "Test problem, from `orrery lab problems`")
      .required()
      .type("NAME");
  verb.option("--set", choice.settings,
              "Parameters of the problem, from `orrery lab problems`; or beta and gamma of "
              "the method newmark")
      .type("KEY=VALUE");
  add_json(verb, choice.json);
}

Result<lab::Real> parse_number(const std::string& option, const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string_view view(text);
  const auto top = parsed(view.substr(0, slash));
  const auto bottom = slash == std::string::npos ? 1.0 : parsed(view.substr(slash + 1));
  if (!top || !bottom || *bottom == 0) {
    return Error::at(option, " " + printable(text, kShownMax) +
                                 ": must be a finite number or a ratio, such as 0.01 or 1/60");
  }
  return static_cast<lab::Real>(*top) / static_cast<lab::Real>(*bottom);
}

Result<std::array<double, 3>> parse_triple(const std::string& option, const std::string& text) {
  std::array<double, 3> values{};
  std::string_view rest(text);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t comma = rest.find(',');
    const auto value = parsed(rest.substr(0, comma));
    const bool more = comma != std::string_view::npos;
    if (!value || more != (i < 2)) {
      return Error::at(option, " " + printable(text, kShownMax) +
                                   ": must be three finite numbers, such as 1,2,3");
    }
    values[i] = *value;
    if (more) rest.remove_prefix(comma + 1);
  }
  return values;
}

Result<LabPair> parse_pair(const std::string& method, const std::string& problem,
                           const std::vector<std::string>& settings) {
  std::vector<lab::Setting> parsed;
  for (const std::string& text : settings) {
    Result<lab::Setting> setting = parse_setting(text);
    if (!setting) return setting.error();
    parsed.push_back(setting.value());
  }
  Result<lab::MethodOptions> options = lab::take_method_options(method, parsed);
  if (!options) return options.error();
  Result<lab::Problem> made = lab::make_problem(problem, parsed);
  if (!made) return made.error();
  if (Status status = lab::check_method(method, made.value()); !status) return status.error();
  return LabPair{made.value(), options.value()};
}

}  // namespace orrery::cli
