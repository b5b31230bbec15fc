// Lays out the help of `orrery` in 80 columns, and answers `orrery help VERB`.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

namespace orrery::cli {

// A layout for help pages. The limits and the default of an option follow its description: "Worker
// threads (1 to 256; default: 1)".
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();

  std::string make_usage(const CLI::App* verb, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* verb) const override;
};

// Prints the help of the verb that `words` name, or of the program if there are no words. Returns
// the exit code: 0, or 2 if there is no such verb.
int print_help(const CLI::App& program, std::span<const char* const> words);

}  // namespace orrery::cli
