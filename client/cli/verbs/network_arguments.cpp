// Owns the command line of the verbs of `orrery` that use the network.
#include <map>

#include "client/cli/arguments.h"
#include "common/core/limits.h"
#include "common/host/process/command_line.h"

namespace orrery::cli {
namespace {

// A day: longer sessions are for programs of their own.
constexpr std::uint32_t kSecondsMax = 86400;

void add_access(CLI::App* verb, AccessOptions& options) {
  CLI::Option* const key = verb->add_option("--key-file", options.key_file,
                                            "Issue tokens with this key; without it and --token\n"
                                            "with that of a server of yours on this machine");
  verb->add_option("--token", options.token, "Connect with this token")
      ->type_name("FILE")
      ->excludes(key->type_name("FILE"));
}

void add_bot(CLI::App& app, BotOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "bot", "Connect test clients that play and check",
               "  orrery bot 127.0.0.1:4770\n"
               "  orrery bot 127.0.0.1:4770 --count 8 --seconds 60 --json\n"
               "  orrery bot 127.0.0.1:4770 --follow  # each steps the world too",
               chosen, [&options] { return bot(options); });
  verb->add_option("ADDR:PORT", options.server, "Where the server listens")->required();
  verb->add_option("--count", options.count, "Clients")
      ->capture_default_str()
      ->check(host::number_in(1u, limits::kClientsMax));
  verb->add_option("--seconds", options.seconds, "How long they play")
      ->capture_default_str()
      ->check(host::number_in(1u, kSecondsMax));
  verb->add_option("--seed", options.seed, "Draws what they do")
      ->capture_default_str()
      ->check(host::kAnyNumber);
  CLI::Option* const follow = verb->add_flag(
      "--follow", options.follow, "Step the world themselves, and compare every state hash");
  verb->add_option("--break", options.fault,
                   "Break their worlds in one tick, as run does, to see it noticed")
      ->needs(follow)
      ->type_name("FAULT");
  add_access(verb, options.access);
  add_json(verb, options.json);
}

void add_watch(CLI::App& app, WatchOptions& options, Verb& chosen) {
  CLI::App* const verb = add_verb(app, "watch", "Show the bodies of a server as they move",
                                  "  orrery watch 127.0.0.1:4770\n"
                                  "  orrery watch 127.0.0.1:4770 --events --seconds 5\n"
                                  "  orrery watch 127.0.0.1:4770 --follow\n"
                                  "  orrery watch 10.0.0.1:4770 --token a.token",
                                  chosen, [&options] { return watch(options); });
  verb->add_option("ADDR:PORT", options.server, "Where the server listens")->required();
  verb->add_option("--seconds", options.seconds, "How long; without it until q or Ctrl-C")
      ->check(host::number_in(1u, kSecondsMax));
  verb->add_flag("--events", options.events,
                 "Print what touches, parts and hits instead, one JSON object a line");
  verb->add_flag("--follow", options.follow,
                 "Step the world here instead, compare every state hash\n"
                 "and print every second what came of it")
      ->excludes("--events");
  add_access(verb, options.access);
}

void add_token(CLI::App& app, TokenOptions& options, Verb& chosen) {
  CLI::App* const verb = add_verb(
      app, "token", "Issue a connect token for one client",
      "  orrery token --key-file orrery.key --server 10.0.0.1:4770 --out a.token\n"
      "  orrery token --key-file orrery.key --server 10.0.0.1:4770 --role admin --out admin.token",
      chosen, [&options] { return issue(options); });
  verb->add_option("--key-file", options.key_file, "The key that the servers have")
      ->required()
      ->type_name("FILE");
  verb->add_option("--server", options.servers,
                   "Where servers listen; several: the next if one\n"
                   "does not answer")
      ->required()
      ->expected(1)
      ->take_all()
      ->type_name("ADDR:PORT");
  verb->add_option("--send-to", options.send_to, "Where the client sends to, if that is elsewhere")
      ->expected(1)
      ->take_all()
      ->type_name("ADDR:PORT");
  verb->add_option("--out", options.out, "Write the token to this new file")
      ->required()
      ->type_name("FILE");
  const std::map<std::string, Role> roles = {
      {"watch", Role::watch}, {"play", Role::play}, {"admin", Role::admin}};
  verb->add_option_function<std::string>(
          "--role", [&options, roles](const std::string& name) { options.role = roles.at(name); },
          "What the client may do: watch, play or admin")
      ->default_str("play")
      ->check(CLI::IsMember(roles).description(""))
      ->type_name("ROLE");
  verb->add_option("--client-id", options.client_id, "Of the account; drawn without it")
      ->check(host::kAnyNumber)
      ->type_name("N");
  verb->add_option("--seconds", options.seconds,
                   "How long it can be used to connect; servers take at most 45\n"
                   "unless their --token-life says so")
      ->capture_default_str()
      ->check(host::number_in(1u, kSecondsMax))
      ->type_name("S");
  verb->add_option("--timeout", options.timeout, "Seconds of silence that end the session")
      ->capture_default_str()
      ->check(host::number_in(1, static_cast<int>(kSecondsMax)))
      ->type_name("S");
  verb->add_option("--protocol-id", options.protocol_id, "Instead of that of the key file")
      ->check(host::kAnyNumber)
      ->type_name("N");
}

void add_netsim(CLI::App& app, NetsimOptions& options, Verb& chosen) {
  CLI::App* const verb = add_verb(
      app, "netsim", "Relay to a server as a bad network would",
      "  orrery netsim --listen 127.0.0.1:4771 --to 127.0.0.1:4770 --loss 5 --delay 40 --jitter 20",
      chosen, [&options] { return netsim(options); });
  verb->add_option("--listen", options.listen, "Where clients send to")
      ->required()
      ->type_name("ADDR:PORT");
  verb->add_option("--to", options.to, "Where the server listens")
      ->required()
      ->type_name("ADDR:PORT");
  const auto percent = [&](const char* name, double& share, const char* about) {
    verb->add_option(name, share, about)->check(host::number_in(0.0, 100.0))->type_name("PERCENT");
  };
  percent("--loss", options.loss, "Datagrams that are lost, in each direction");
  percent("--duplicate", options.duplicate, "that come twice");
  percent("--reorder", options.reorder, "that are not delayed, and overtake");
  percent("--corrupt", options.corrupt, "of which bits are flipped, or the end is cut off");
  constexpr std::uint32_t kDelayMax = 60'000;
  verb->add_option("--delay", options.delay, "Of every datagram, in milliseconds")
      ->check(host::number_in(0u, kDelayMax))
      ->type_name("MS");
  verb->add_option("--jitter", options.jitter, "At most so much more, drawn for each")
      ->check(host::number_in(0u, kDelayMax))
      ->type_name("MS");
  verb->add_option("--rate", options.rate, "Kilobits a second for each client and direction")
      ->check(host::number_in(1u, 10'000'000u))
      ->type_name("KBIT");
  verb->add_option("--seed", options.seed, "Draws all of that")
      ->capture_default_str()
      ->check(host::kAnyNumber);
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
