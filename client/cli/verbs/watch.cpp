// Implements `orrery watch`: a live picture or table of bodies, events, or a followed world.
#include <cstdio>

#include "client/cli/command_line/picture_options.h"
#include "client/cli/command_line/shared_options.h"
#include "client/cli/no_answer.h"
#include "client/cli/render/event_line.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "client/cli/verbs/watch_follow.h"
#include "client/cli/watch/viewer.h"
#include "client/udp/udp_client.h"
#include "common/host/disk/flight_file.h"
#include "common/host/process/clock.h"
#include "common/host/process/failure.h"
#include "common/host/process/stop_signal.h"
#include "common/net/packet/address_text.h"

namespace orrery::cli {
namespace {

struct WatchOptions {
  std::string server;
  client::AccessOptions access;
  // Duration in seconds. 0 means no limit, except for a table on a stdout that is no terminal:
  // there it means kPlainSeconds.
  std::uint32_t seconds = 0;
  bool events = false;  // print events instead of a picture
  bool follow = false;  // step the world here and compare its hashes with the server's
  bool table = false;   // show a table instead of a picture
  bool once = false;    // print one picture or table
  std::string view = "front";
};

// Default duration of the table in seconds if stdout is no terminal: nobody can press q there.
constexpr std::uint32_t kPlainSeconds = 10;
// Longest wait of --once, in seconds. A scene of 16 MiB arrives in this time at 0.5 Mbit/s.
constexpr std::uint32_t kOnceSeconds = 300;

ViewerOptions viewer_options(const WatchOptions& options) {
  return {.kind = options.table ? PageKind::table : PageKind::picture,
          .axis = axis_named(options.view),
          .seconds = options.seconds};
}

// Prints events until the client ends, the time is over, or the user stops the program.
void print_each_event(client::UdpClient& client, std::uint32_t seconds) {
  constexpr net::Nanoseconds kWait = 5 * net::kMillisecond;
  const host::StopSignal stop;
  const net::Nanoseconds start = host::monotonic_now();
  while (!stop.asked() && client.wait(kWait)) {
    const auto arrived = client.client().arrivals().take_events();
    for (const codec::message::Events& events : arrived) {
      for (const WorldEvent& event : events.events) print_event(events.tick, event);
    }
    if (!arrived.empty()) std::fflush(stdout);
    if (seconds != 0 && host::monotonic_now() - start >= seconds * net::kSecond) return;
  }
}

// Shows the bodies: with --once one page, on a terminal live pages, otherwise a table every second.
// An Error says why --once has no page.
Status show(Source& source, const WatchOptions& options) {
  ViewerOptions viewer = viewer_options(options);
  if (options.once) {
    viewer.seconds = kOnceSeconds;
    return print_once(source, viewer);
  }
  if (stdout_shows_pages()) {
    view_live(source, viewer);
  } else {
    if (viewer.seconds == 0) viewer.seconds = kPlainSeconds;
    print_tables(source, viewer);
  }
  return ok_status();
}

int failed(const Error& error) {
  std::fprintf(stderr, "orrery: watch: %s\n", error.text().c_str());
  return 1;
}

// If the client is not connected, prints the reason on stderr. Returns the exit code: 0 if the
// client is connected or the server has stopped after a connection, otherwise 1.
int conclude(const client::UdpClient& client, const client::Access& access) {
  const client::Client& it = client.client();
  if (it.stats().narrowed) {
    std::fprintf(stderr,
                 "orrery: watch: large datagrams do not arrive, small ones do; the server may use "
                 "--mtu %zu\n",
                 net::kDatagramBytesMin);
  }
  if (it.phase() == client::ClientPhase::connected) return 0;
  std::fprintf(stderr, "orrery: watch: %s\n", describe_end(client, access).c_str());
  const bool stopped = it.attempt().reason == EndReason::server_stopped;
  return stopped && it.stats().connections > 0 ? 0 : 1;
}

int follow(client::UdpClient& client, const client::Access& access, const WatchOptions& options) {
  if (options.once || stdout_shows_pages()) {
    Source source(client);
    if (const Status shown = show(source, options); !shown) return failed(shown.error());
  } else {
    print_comparisons(client, options.seconds);
  }
  conclude_following(client);
  const client::ClientStats stats = client.client().stats();
  if (stats.mismatch) {
    const std::string details = stats.flight ? "; " + host::save_and_describe(*stats.flight) : "";
    std::fprintf(stderr, "orrery: watch: the world here differs from the server's, %s%s\n",
                 client::to_line(*stats.mismatch).c_str(), details.c_str());
    return 1;
  }
  const bool compared = stats.ticks_checked != 0;
  if (client.client().phase() == client::ClientPhase::connected && !compared) {
    std::fprintf(stderr,
                 "orrery: watch: the server at %s sent no tick in this time, so nothing was "
                 "compared; give a longer --seconds\n",
                 net::format_address(access.server()).c_str());
  }
  const int code = conclude(client, access);
  return compared ? code : 1;
}

int watch(const WatchOptions& options) {
  const auto server = host::ServerName::find(options.server);
  if (!server) return unusable(server.error().text());
  host::forbid_core_dumps();
  const auto access = client::Access::open(options.access, server.value());
  if (!access && options.access.is_local() && net::is_loopback(server.value().first())) {
    return failed(access.error());
  }
  if (!access) return unusable(access.error().text());
  client::ClientOptions wanted;
  wanted.follow = options.follow;
  wanted.events = options.events;
  // Reconnects only in a live view. A script or the reader of a pipe must see that the connection
  // has ended.
  const bool lives = stdout_shows_pages() && !options.once && !options.events;
  if (!lives) wanted.reconnect = 0;
  const auto opened = client::UdpClient::open(access.value(), Role::watch, wanted);
  if (!opened) return unusable(opened.error().text());
  client::UdpClient& client = *opened.value();
  if (options.follow) return follow(client, access.value(), options);
  if (options.events) {
    print_each_event(client, options.seconds);
  } else {
    Source source(client);
    if (const Status shown = show(source, options); !shown) return failed(shown.error());
  }
  return conclude(client, access.value());
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
