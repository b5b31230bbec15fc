// Owns what the command lines of all verbs of `orrery` share.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "client/cli/verbs/verbs.h"

namespace orrery::cli {

// What to call if the verb was asked for.
using Verb = std::function<int()>;

// Adds a verb. `examples` are lines that a shell can run as they are, with a comment if they need
// one.
inline CLI::App* add_verb(CLI::App& app, const std::string& name, const std::string& about,
                          const std::string& examples, Verb& chosen, Verb verb) {
  CLI::App* const added = app.add_subcommand(name, about);
  added->callback([&chosen, verb = std::move(verb)] { chosen = verb; });
  added->footer("Examples:\n" + examples);
  return added;
}

inline void add_json(CLI::App* verb, bool& json) {
  verb->add_flag("--json", json, "Print one JSON object");
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
