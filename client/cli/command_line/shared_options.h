// Declares options that several verbs have, so that they have the same names, limits and help.
#pragma once

#include <cstdint>
#include <string>

#include "client/cli/command_line/arguments.h"
#include "client/udp/access.h"

namespace orrery::cli {

// The longest time that an option accepts: a day.
inline constexpr std::uint32_t kSecondsMax = 86400;

// Adds --json.
void add_json(Verb& verb, bool& json);

// Adds the argument LOG.
void add_log_argument(Verb& verb, std::string& log);

// Adds --threads.
void add_threads(Verb& verb, std::uint32_t& threads);

// Adds --commands, a file that the verb reads.
void add_commands(Verb& verb, std::string& commands, const std::string& about);

// Adds --seal-key, a file with the key of seals.
Option add_seal_key(Verb& verb, std::string& path, const std::string& about);

// Adds an option for a file that the verb creates.
Option add_new_file(Verb& verb, const std::string& name, std::string& path,
                    const std::string& about);

// Adds an option for an HTML file that the verb writes. An existing file is replaced.
Option add_page(Verb& verb, const std::string& name, std::string& path, const std::string& about);

// Adds --report, a page about a divergence.
void add_report(Verb& verb, std::string& report);

// Adds the argument ADDR:PORT.
void add_server(Verb& verb, std::string& server);

// Adds --key-file and --token.
void add_access(Verb& verb, client::AccessOptions& options);

}  // namespace orrery::cli
