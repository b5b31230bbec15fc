// Defines the command line of the verbs that use the network.
#include <map>

#include "client/cli/arguments.h"
#include "common/core/limits.h"
#include "common/host/process/command_line.h"

namespace orrery::cli {
namespace {

// A day.
constexpr std::uint32_t kSecondsMax = 86400;

void add_server(CLI::App* verb, std::string& server) {
  verb->add_option("ADDR:PORT", server, "Address of the server")->required();
}

void add_access(CLI::App* verb, AccessOptions& options) {
  CLI::Option* const key = verb->add_option("--key-file", options.key_file,
                                            "Make the connect token with the key in this file")
                               ->default_str("the key of a server that you run on this machine")
                               ->type_name("FILE");
  verb->add_option("--token", options.token, "Connect with the token in this file")
      ->type_name("FILE")
      ->excludes(key);
}

void add_bot(CLI::App& app, BotOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "bot", "Connect test clients that play, and check what they receive",
               "  orrery bot 127.0.0.1:4770\n"
               "  orrery bot 127.0.0.1:4770 --count 8 --seconds 60 --json\n"
               "  orrery bot 127.0.0.1:4770 --follow",
               chosen, [&options] { return bot(options); });
  add_server(verb, options.server);
  verb->add_option("--count", options.count, "Number of clients")
      ->capture_default_str()
      ->check(host::number_in(1u, limits::kClientsMax))
      ->type_name("N");
  verb->add_option("--seconds", options.seconds, "Time to play, in seconds")
      ->capture_default_str()
      ->check(host::number_in(1u, kSecondsMax))
      ->type_name("S");
  verb->add_option("--seed", options.seed, "Seed of the clients' random commands")
      ->capture_default_str()
      ->check(host::kAnyNumber)
      ->type_name("N");
  CLI::Option* const follow =
      verb->add_flag("--follow", options.follow,
                     "Step the world in every client too, and compare each state hash with the "
                     "server's");
  verb->add_option("--break", options.fault,
                   "Break the worlds of the clients on purpose, to see the comparison fail. FAULT "
                   "is as in `orrery run --break`")
      ->needs(follow)
      ->type_name("FAULT");
  add_access(verb, options.access);
  add_json(verb, options.json);
}

void add_watch(CLI::App& app, WatchOptions& options, Verb& chosen) {
  CLI::App* const verb = add_verb(app, "watch", "Show the bodies of a running server, live",
                                  "  orrery watch 127.0.0.1:4770\n"
                                  "  orrery watch 127.0.0.1:4770 --events --seconds 5\n"
                                  "  orrery watch 127.0.0.1:4770 --follow\n"
                                  "  orrery watch 10.0.0.1:4770 --token a.token",
                                  chosen, [&options] { return watch(options); });
  add_server(verb, options.server);
  verb->add_option("--seconds", options.seconds, "Time to watch, in seconds")
      ->default_str("until q or Ctrl-C; 10 for a table that goes to a file or pipe")
      ->check(host::number_in(1u, kSecondsMax))
      ->type_name("S");
  verb->add_flag("--events", options.events,
                 "Print when bodies touch, part and hit instead of the table, one JSON object per "
                 "line");
  verb->add_flag("--follow", options.follow,
                 "Step the world here and compare each state hash with the server's. Print one "
                 "line per second instead of the table")
      ->excludes("--events");
  add_access(verb, options.access);
}

// Adds the options for the contents of the token.
void add_token_choices(CLI::App* verb, TokenOptions& options) {
  const CLI::Validator role(
      [](const std::string& name) {
        const bool known = name == "watch" || name == "play" || name == "admin";
        return known ? "" : name + " is not watch, play or admin";
      },
      "");
  const std::map<std::string, Role> roles = {
      {"watch", Role::watch}, {"play", Role::play}, {"admin", Role::admin}};
  verb->add_option_function<std::string>(
          "--role", [&options, roles](const std::string& name) { options.role = roles.at(name); },
          "What the client may do: watch, play or admin")
      ->default_str("play")
      ->check(role)
      ->type_name("ROLE");
  verb->add_option("--client-id", options.client_id, "Identifier of the client's account")
      ->default_str("random")
      ->check(host::kAnyNumber)
      ->type_name("N");
  verb->add_option("--seconds", options.seconds,
                   "Time in which the client must connect, in seconds. Servers accept at most 45, "
                   "or their --token-life")
      ->capture_default_str()
      ->check(host::number_in(1u, kSecondsMax))
      ->type_name("S");
  verb->add_option("--timeout", options.timeout,
                   "Silence after which the connection ends, in seconds")
      ->capture_default_str()
      ->check(host::number_in(1, static_cast<int>(kSecondsMax)))
      ->type_name("S");
  verb->add_option("--protocol-id", options.protocol_id,
                   "Protocol identifier. It must be that of the servers")
      ->default_str("that of the key file")
      ->check(host::kAnyNumber)
      ->type_name("N");
}

void add_token(CLI::App& app, TokenOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "token", "Make a connect token, which admits one client to a server",
               "  orrery token --key-file orrery.key --server 10.0.0.1:4770 --out a.token", chosen,
               [&options] { return issue(options); });
  verb->add_option("--key-file", options.key_file, "File with the key of the servers")
      ->required()
      ->type_name("FILE");
  verb->add_option("--server", options.servers,
                   "Address of a server that accepts the token. Give the option again for more "
                   "servers: the client tries them in turn")
      ->required()
      ->expected(1)
      ->take_all()
      ->type_name("ADDR:PORT");
  verb->add_option("--send-to", options.send_to,
                   "Address that the client sends to, if it reaches the server by another one. "
                   "Repeatable")
      ->default_str("--server")
      ->expected(1)
      ->take_all()
      ->type_name("ADDR:PORT");
  verb->add_option("--out", options.out, "Write the token to this file. The file must not exist")
      ->required()
      ->type_name("FILE");
  add_token_choices(verb, options);
}

void add_netsim(CLI::App& app, NetsimOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "netsim", "Relay datagrams to a server as a bad network would",
               "  orrery netsim --listen 127.0.0.1:4771 --to 127.0.0.1:4770 --loss 5 --delay 40",
               chosen, [&options] { return netsim(options); });
  verb->add_option("--listen", options.listen, "Address that the clients send to")
      ->required()
      ->type_name("ADDR:PORT");
  verb->add_option("--to", options.to, "Address of the server")->required()->type_name("ADDR:PORT");
  const auto percent = [&](const char* name, double& share, const char* about) {
    verb->add_option(name, share, about)
        ->default_str("0")
        ->check(host::number_in(0.0, 100.0))
        ->type_name("PERCENT");
  };
  percent("--loss", options.loss, "Percent of datagrams to lose, in each direction");
  percent("--duplicate", options.duplicate, "Percent of datagrams to duplicate");
  percent("--reorder", options.reorder,
          "Percent of datagrams to send without delay, so that they overtake others");
  percent("--corrupt", options.corrupt,
          "Percent of datagrams to damage, by flipping bits or cutting off the end");
  constexpr std::uint32_t kDelayMax = 60'000;
  verb->add_option("--delay", options.delay, "Delay of every datagram, in milliseconds")
      ->capture_default_str()
      ->check(host::number_in(0u, kDelayMax))
      ->type_name("MS");
  verb->add_option("--jitter", options.jitter,
                   "Largest random addition to the delay of a datagram, in milliseconds")
      ->capture_default_str()
      ->check(host::number_in(0u, kDelayMax))
      ->type_name("MS");
  verb->add_option("--rate", options.rate, "Bandwidth of each client in each direction, in kbit/s")
      ->default_str("no limit")
      ->check(host::number_in(1u, 10'000'000u))
      ->type_name("KBIT");
  verb->add_option("--seed", options.seed, "Seed of all random choices")
      ->capture_default_str()
      ->check(host::kAnyNumber)
      ->type_name("N");
  add_json(verb, options.json);
}

}  // namespace

void add_network_verbs(CLI::App& app, NetworkOptions& options, Verb& chosen) {
  add_bot(app, options.bot, chosen);
  add_watch(app, options.watch, chosen);
  add_token(app, options.token, chosen);
  add_netsim(app, options.netsim, chosen);
}

}  // namespace orrery::cli
