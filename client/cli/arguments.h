// Declares what the command lines of the verbs share.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "client/cli/verbs/verbs.h"

namespace orrery::cli {

// The function that runs the verb that was typed, and returns the exit code.
using Verb = std::function<int()>;

// The heading of the list of verbs in a help page.
inline constexpr const char* kVerbs = "Verbs";

// Adds a verb. `examples` are shell commands, one per line, indented by two blanks.
inline CLI::App* add_verb(CLI::App& app, const std::string& name, const std::string& about,
                          const std::string& examples, Verb& chosen, Verb verb) {
  CLI::App* const added = app.add_subcommand(name, about);
  added->group(kVerbs);
  added->callback([&chosen, verb = std::move(verb)] { chosen = verb; });
  added->footer("Examples:\n" + examples);
  return added;
}

// Adds a verb that does nothing itself and only has verbs below it.
inline CLI::App* add_group(CLI::App& app, const std::string& name, const std::string& about,
                           const std::string& examples) {
  CLI::App* const added = app.add_subcommand(name, about);
  added->group(kVerbs);
  added->require_subcommand(1);
  added->footer("Examples:\n" + examples);
  return added;
}

inline void add_json(CLI::App* verb, bool& json) {
  verb->add_flag("--json", json, "Print the result as one JSON object");
}

struct NetworkOptions {
  BotOptions bot;
  WatchOptions watch;
  TokenOptions token;
  NetsimOptions netsim;
};

// Adds bot, watch, token and netsim.
void add_network_verbs(CLI::App& app, NetworkOptions& options, Verb& chosen);

}  // namespace orrery::cli
