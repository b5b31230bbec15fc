// Implements `orrery watch`: a live picture or table of bodies, events, or a followed world.
#include <poll.h>

#include <cstdio>

#include "client/cli/command_line/picture_options.h"
#include "client/cli/command_line/shared_options.h"
#include "client/cli/no_answer.h"
#include "client/cli/render/event_line.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "client/cli/verbs/watch_follow.h"
#include "client/cli/watch/viewer.h"
#include "client/lib/connection.h"
#include "client/udp/access.h"
#include "common/core/printable.h"
#include "common/host/net/udp.h"
#include "common/host/process/clock.h"
#include "common/host/process/stop_signal.h"
#include "common/net/drain.h"
#include "common/net/packet/address_text.h"

namespace orrery::cli {
namespace {

struct WatchOptions {
  std::string server;
  client::AccessOptions access;
  std::uint32_t seconds = 0;  // 0: no limit, or kPlainSeconds for a table that no terminal shows
  bool events = false;        // print events instead of a picture
  bool follow = false;        // step the world here and compare its hashes with the server's
  bool table = false;         // show a table instead of a picture
  bool once = false;          // print one picture or table
  std::string view = "front";
};

// Default duration of the table in seconds if stdout is no terminal: nobody can press q there.
constexpr std::uint32_t kPlainSeconds = 10;

ViewerOptions viewer_options(const WatchOptions& options) {
  return {.kind = options.table ? PageKind::table : PageKind::picture,
          .axis = axis_named(options.view),
          .seconds = options.seconds};
}

// Prints events until the connection or the time ends, or the user stops it.
void print_events(client::Connection& connection, host::UdpNetwork& network,
                  std::uint32_t seconds) {
  const host::StopSignal stop;
  const net::Nanoseconds start = host::monotonic_now();
  pollfd descriptor{network.descriptor(), POLLIN, 0};
  while (!stop.asked() && connection.endpoint().state() != net::ClientState::ended) {
    constexpr int kPollMilliseconds = 5;
    ::poll(&descriptor, 1, kPollMilliseconds);
    const net::Nanoseconds now = host::monotonic_now();
    net::drain(network, [&](const net::Address& from, Bytes datagram) {
      connection.receive(from, datagram, now);
      for (const codec::message::Events& events : connection.events()) {
        for (const WorldEvent& event : events.events) print_event(events.tick, event);
      }
      if (!connection.events().empty()) std::fflush(stdout);
    });
    connection.update(now);
    if (seconds != 0 && now - start >= seconds * net::kSecond) return;
  }
}

// Shows the bodies: one page, or pages on a terminal, or a table every second.
void show(Source& source, const WatchOptions& options) {
  ViewerOptions viewer = viewer_options(options);
  if (options.once) {
    print_once(source, viewer);
  } else if (stdout_shows_pages()) {
    view_live(source, viewer);
  } else {
    if (viewer.seconds == 0) viewer.seconds = kPlainSeconds;
    print_tables(source, viewer);
  }
}

// Ends the connection. If it is already lost, or was never established, prints the reason on
// stderr. Returns the exit code: 0 if it was still connected or the server stopped, otherwise 1.
int conclude(client::Connection& connection, const host::UdpNetwork& network,
             const client::Access& tokens) {
  const bool connected = connection.connected();
  if (!connected) {
    const std::string end =
        describe_end(connection.endpoint().end_reason(),
                     connection.counters().datagrams_received > 0, network, tokens);
    std::fprintf(stderr, "orrery: watch: %s\n", end.c_str());
  }
  connection.disconnect(host::monotonic_now());
  const bool stopped = connection.endpoint().end_reason() == net::EndReason::server_stopped;
  return connected || stopped ? 0 : 1;
}

int follow(host::UdpNetwork& network, const net::ConnectToken& token, const client::Access& tokens,
           const WatchOptions& options) {
  client::Follower follower;
  client::Connection connection(network, token, host::monotonic_now(), /*events=*/false, &follower);
  FollowedSource source(network, connection, follower);
  if (options.once || stdout_shows_pages()) {
    show(source, options);
  } else {
    print_comparisons(connection, follower, network, options.seconds);
  }
  conclude_following(connection, follower, network);
  if (follower.mismatch()) {
    connection.disconnect(host::monotonic_now());
    std::fprintf(stderr, "orrery: watch: the world here differs from the server's, %s\n",
                 client::to_line(*follower.mismatch()).c_str());
    return 1;
  }
  if (follower.error()) {
    std::fprintf(stderr, "orrery: watch: the server at %s %s\n",
                 net::format_address(tokens.server()).c_str(),
                 printable(follower.error()->message).c_str());
    return 1;
  }
  const bool compared = follower.ticks_checked() != 0;
  if (connection.connected() && !compared) {
    std::fprintf(stderr,
                 "orrery: watch: the server at %s sent no tick in this time, so nothing was "
                 "compared; give a longer --seconds\n",
                 net::format_address(tokens.server()).c_str());
  }
  const int code = conclude(connection, network, tokens);
  return compared ? code : 1;
}

int watch(const WatchOptions& options) {
  const auto server = net::parse_destination(options.server);
  if (!server) return unusable(server.error().message);
  const auto tokens = client::Access::open(options.access, server.value());
  if (!tokens && options.access.is_local() && net::is_loopback(server.value())) {
    std::fprintf(stderr, "orrery: watch: %s\n", tokens.error().message.c_str());
    return 1;
  }
  if (!tokens) return unusable(tokens.error().message);
  auto network = host::UdpNetwork::towards(server.value());
  if (!network) return unusable(network.error().message);
  const net::ConnectToken token = tokens.value().next(Role::watch);
  if (options.follow) return follow(*network.value(), token, tokens.value(), options);
  client::Connection connection(*network.value(), token, host::monotonic_now(), options.events);
  if (options.events) {
    print_events(connection, *network.value(), options.seconds);
  } else {
    SnapshotSource source(*network.value(), connection);
    show(source, options);
  }
  return conclude(connection, *network.value(), tokens.value());
}

}  // namespace

void add_watch(Verb& program) {
  auto [verb, options] =
      program.add_verb("watch", "Show the bodies of a running server, live",
                       "  orrery watch 127.0.0.1:4770\n"
                       "  orrery watch 127.0.0.1:4770 --table --once > bodies.txt\n"
                       "  orrery watch 127.0.0.1:4770 --follow\n"
                       "  orrery watch 10.0.0.1:4770 --token a.token",
                       watch);
  add_server(verb, options.server);
  const Option seconds =
      verb.option("--seconds", options.seconds, "Time to watch, in seconds")
          .shows_default("until q or Ctrl-C; 10 for a table that goes to a file or pipe")
          .whole_number(1, kSecondsMax)
          .type("S");
  const Option table = verb.flag("--table", options.table,
                                 "Show numbers instead of a picture. A file or pipe gets a table "
                                 "every second also without this option");
  const Option once = verb.flag("--once", options.once,
                                "Print one picture as soon as there is one, or with --table one "
                                "table of all bodies, and exit")
                          .excludes(seconds);
  const Option view = add_view(verb, options.view).excludes(table);
  const Option events =
      verb.flag("--events", options.events,
                "Print when bodies touch, part and hit instead of the picture, one JSON object "
                "per line")
          .excludes(table)
          .excludes(once)
          .excludes(view);
  verb.flag("--follow", options.follow,
            "Step the world here and compare each state hash with the server's. A file or pipe "
            "gets one line per second instead of the table")
      .excludes(events);
  add_access(verb, options.access);
}

}  // namespace orrery::cli
