// Declares the verbs of a command line and their options, and calls the verb that the user typed.
//
// CLI11 does the work. It is slow to compile, so only arguments.cpp and help.h include it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace orrery::cli {

// A check of the text of an option. Returns the reason to refuse it, or an empty string.
using TextCheck = std::function<std::string(const std::string&)>;

// An option or a positional argument of a verb. Every function returns the option itself,
// so that calls can be chained.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  // Names the value in the help: `FILE` in "--log FILE".
  Option& type(const std::string& name);
  // Sets the default shown in the help: the current value of the variable, or `text`.
  Option& shows_default();
  Option& shows_default(const std::string& text);

  // Accept numbers from `least` to `most`. The help shows this range.
  Option& whole_number(std::uint64_t least, std::uint64_t most);
  Option& number(double least, double most);
  // Accepts any whole number, such as a seed.
  Option& any_number();
  // Accepts a tick or a number of ticks, from `least` to 2^53. The help does not show this range.
  Option& ticks(std::uint64_t least = 0);
  // Refuses an empty text, which most options would take for "no file". A script passes one if its
  // variable is not set.
  Option& given();
  Option& check(const TextCheck& check);

  // Takes one value each time the option is given. REQUIRES: the variable is a vector.
  Option& repeatable();
  Option& needs(const Option& other);
  Option& excludes(const Option& other);

 private:
  CLI::Option* option_;
};

// The result of add_verb(): a verb, and the variables that its options set.
template <class Options>
struct Added;

// A verb, or the program itself.
class Verb {
 public:
  // Parsing sets `*chosen` to the function of the verb that the user typed.
  Verb(CLI::App* app, std::function<int()>* chosen) : app_(app), chosen_(chosen) {}

  // Adds a verb below this one. `examples` are shell commands, one per line; the caller indents
  // each by two blanks. If the verb is typed, run(options) is called, and its result is the exit
  // code.
  template <class Options>
  Added<Options> add_verb(const std::string& name, const std::string& about,
                          const std::string& examples, int (*run)(const Options&));

  // Adds a verb that does nothing itself and only has verbs below it.
  Verb add_group(const std::string& name, const std::string& about, const std::string& examples);

  // Adds an option "--name", or a positional argument "NAME" that must not be empty. It sets
  // `value`. T is std::string, std::vector<std::string>, double, a 32-bit or unsigned 64-bit
  // integer, or a std::optional of an unsigned one.
  template <class T>
  Option option(const std::string& name, T& value, const std::string& about);

  // Adds an option without a value.
  Option flag(const std::string& name, bool& value, const std::string& about);

 private:
  Verb add(const std::string& name, const std::string& about, const std::string& examples);
  void call(std::function<int()> run);

  CLI::App* app_;
  std::function<int()>* chosen_;
};

template <class Options>
struct Added {
  Verb verb;
  Options& options;
};

template <class Options>
Added<Options> Verb::add_verb(const std::string& name, const std::string& about,
                              const std::string& examples, int (*run)(const Options&)) {
  const auto options = std::make_shared<Options>();
  Verb verb = add(name, about, examples);
  verb.call([run, options] { return run(*options); });
  return {verb, *options};
}

// The name of the program, and the texts that `--help` without a verb and `--version` show.
struct Program {
  std::string name;
  std::string version;
  std::string about;
  std::string examples;
};

// Reads the command line, runs the verb that was typed, and returns its exit code. For a wrong
// command line it returns 2 and prints one line on stderr. Each of `verbs` adds one verb; the help
// lists them in order.
int run_command_line(const Program& program, std::span<void (*const)(Verb&)> verbs, int argc,
                     char** argv);

}  // namespace orrery::cli
