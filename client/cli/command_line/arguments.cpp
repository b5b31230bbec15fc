// Implements command lines with CLI11.
#include "client/cli/command_line/arguments.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "client/cli/command_line/help.h"
#include "client/cli/unusable.h"
#include "common/host/process/command_line.h"

namespace orrery::cli {

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::type(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::shows_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::shows_default(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Option& Option::whole_number(std::uint64_t least, std::uint64_t most) {
  option_->check(host::number_in(least, most));
  return *this;
}

Option& Option::number(double least, double most) {
  option_->check(host::number_in(least, most));
  return *this;
}

Option& Option::any_number() {
  option_->check(host::kAnyNumber);
  return *this;
}

Option& Option::ticks(std::uint64_t least) {
  option_->check(host::number_in(least, std::uint64_t{1} << 53).description(""));
  return *this;
}

Option& Option::given() {
  option_->check(host::kGiven);
  return *this;
}

Option& Option::check(const TextCheck& check) {
  option_->check(CLI::Validator(check, ""));
  return *this;
}

Option& Option::repeatable() {
  option_->expected(1)->take_all();
  return *this;
}

Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Verb Verb::add(const std::string& name, const std::string& about, const std::string& examples) {
  CLI::App* const added = app_->add_subcommand(name, about);
  added->group("Verbs");  // the heading of the list of verbs in a help page
  added->footer("Examples:\n" + examples);
  return Verb(added, chosen_);
}

void Verb::call(std::function<int()> run) {
  app_->callback([chosen = chosen_, run = std::move(run)] { *chosen = run; });
}

Verb Verb::add_group(const std::string& name, const std::string& about,
                     const std::string& examples) {
  Verb group = add(name, about, examples);
  group.app_->require_subcommand(1);
  return group;
}

template <class T>
Option Verb::option(const std::string& name, T& value, const std::string& about) {
  Option added(app_->add_option(name, value, about));
  if (!name.starts_with('-')) added.given();
  return added;
}
template Option Verb::option(const std::string&, std::string&, const std::string&);
template Option Verb::option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Verb::option(const std::string&, double&, const std::string&);
template Option Verb::option(const std::string&, std::int32_t&, const std::string&);
template Option Verb::option(const std::string&, std::uint32_t&, const std::string&);
template Option Verb::option(const std::string&, std::uint64_t&, const std::string&);
template Option Verb::option(const std::string&, std::optional<std::uint32_t>&, const std::string&);
template Option Verb::option(const std::string&, std::optional<std::uint64_t>&, const std::string&);

Option Verb::flag(const std::string& name, bool& value, const std::string& about) {
  return Option(app_->add_flag(name, value, about));
}

int run_command_line(const Program& program, std::span<void (*const)(Verb&)> verbs, int argc,
                     char** argv) {
  CLI::App app(program.about, program.name);
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("--version", program.version, "Print the version");
  app.require_subcommand(1);
  app.footer(program.examples);
  std::function<int()> chosen;
  Verb root(&app, &chosen);
  for (const auto add : verbs) add(root);
  if (argc > 1 && argv[1] == std::string_view("help")) {
    return print_help(app, std::span<const char* const>(argv + 2, argv + argc));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_text) {
    return app.exit(asked_for_text);
  } catch (const CLI::ParseError& error) {
    return unusable(host::complaint(app, error, argv[argc - 1]).text());
  }
  return chosen();
}

}  // namespace orrery::cli
