// Implements `orrery watch`: a live table of bodies, lines of events, or a followed world.
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/no_answer.h"
#include "client/cli/render/event_line.h"
#include "client/cli/token_source.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "client/cli/verbs/watch_follow.h"
#include "client/lib/body_interpolator.h"
#include "client/lib/connection.h"
#include "client/lib/frame_clock.h"
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
  AccessOptions access;
  std::uint32_t seconds = 0;  // 0: no limit, or kPlainSeconds for a table that no terminal shows
  bool events = false;        // print events instead of the table
  bool follow = false;        // step the world here and compare its hashes with the server's
};

constexpr net::Nanoseconds kRedraw = 100 * net::kMillisecond;
constexpr int kPollMilliseconds = 5;
// Default duration of the table in seconds if stdout is no terminal: nobody can press q there.
constexpr std::uint32_t kPlainSeconds = 10;
constexpr std::size_t kPlainRows = 40;

// The terminal while a table is shown. If stdout is a terminal, it shows its alternate screen. If
// stdin is a terminal, echo and line buffering are off. The destructor restores both. Does nothing
// if it is not `used`.
class Terminal {
 public:
  explicit Terminal(bool used)
      : shows_(used && ::isatty(STDOUT_FILENO) == 1), reads_(used && ::isatty(STDIN_FILENO) == 1) {
    if (shows_) std::fputs("\033[?1049h\033[?25l", stdout);
    if (!reads_) return;
    ::tcgetattr(STDIN_FILENO, &before_);
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  ~Terminal() {
    if (reads_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    if (shows_) std::fputs("\033[?25h\033[?1049l", stdout);
    std::fflush(stdout);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  bool shows() const { return shows_; }

  bool quit_pressed() const {
    char key = 0;
    return reads_ && ::read(STDIN_FILENO, &key, 1) == 1 && (key == 'q' || key == 'Q');
  }

  // Returns the number of rows of a page.
  std::size_t rows() const {
    winsize size{};
    const bool known = shows_ && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 4;
    return known ? size.ws_row : kPlainRows;
  }

 private:
  const bool shows_;
  const bool reads_;
  termios before_{};
};

// A connection and its table of bodies. It prints events as they arrive.
class Watcher {
 public:
  Watcher(host::UdpNetwork& network, client::Connection& connection)
      : network_(network), connection_(connection) {}

  void update(net::Nanoseconds now) {
    net::drain(network_, [&](const net::Address& from, Bytes datagram) {
      const client::Snapshot* const snapshot = connection_.receive(from, datagram, now);
      if (snapshot) show(*snapshot, now);
      for (const codec::message::Events& events : connection_.events()) {
        for (const WorldEvent& event : events.events) print_event(events.tick, event);
      }
      if (!connection_.events().empty()) std::fflush(stdout);
    });
    connection_.update(now);
  }

  const client::Connection& connection() const { return connection_; }

  // Returns true if there is something to draw. The first snapshot is drawn after the delay of the
  // frame clock.
  bool shows(net::Nanoseconds now) {
    return frame_ && clock_->at(seconds(now)) >= static_cast<double>(first_.value);
  }

  // Returns the table as text, one line per body, with at most `rows` lines.
  std::string page(net::Nanoseconds now, std::size_t rows) {
    const client::Snapshot* const newest = connection_.snapshots().newest();
    if (!shows(now) || !newest) return "connecting ...\n";
    const double tick = clock_->at(seconds(now));
    const std::vector<client::BodyPose>& poses = frame_->advance(tick);
    const codec::message::Welcome& welcome = connection_.endpoint().welcome();
    char line[160];
    std::snprintf(line, sizeof line, "%s  tick %.1f  %zu bodies  %u ticks/s  (q quits)\n",
                  printable(welcome.scene).c_str(), tick, poses.size(), welcome.tick_rate);
    std::string text = line;
    text += "      id            x            y            z        speed   spin rad/s\n";
    const bool all = poses.size() <= rows - 3;
    const std::size_t shown = all ? poses.size() : rows - 4;
    for (std::size_t i = 0; i < shown; ++i) text += row(poses[i], *newest);
    if (!all) text += "      and " + std::to_string(poses.size() - shown) + " more\n";
    return text;
  }

 private:
  static double seconds(net::Nanoseconds time) { return static_cast<double>(time) / net::kSecond; }

  void show(const client::Snapshot& snapshot, net::Nanoseconds now) {
    if (!frame_) {
      const codec::message::Welcome& welcome = connection_.endpoint().welcome();
      frame_ = std::make_unique<client::BodyInterpolator>(welcome.tick_time, welcome.tick_rate);
      clock_ = std::make_unique<client::FrameClock>(welcome.tick_rate);
      first_ = snapshot.tick;
    }
    frame_->add(snapshot);
    clock_->arrived(snapshot.tick, seconds(now));
  }

  // Returns one line of the table. The speeds come from the newest snapshot.
  static std::string row(const client::BodyPose& pose, const client::Snapshot& newest) {
    const auto at = std::find_if(newest.bodies.begin(), newest.bodies.end(),
                                 [&](const codec::BodyState& b) { return b.id == pose.id; });
    const bool there = at != newest.bodies.end();
    char line[160];
    std::snprintf(line, sizeof line, "%8u %12.4f %12.4f %12.4f %12.4f %12.4f\n", pose.id.value,
                  pose.position.x, pose.position.y, pose.position.z,
                  there ? length(at->velocity) : 0, there ? length(at->angular_velocity) : 0);
    return line;
  }

  host::UdpNetwork& network_;
  client::Connection& connection_;
  std::unique_ptr<client::BodyInterpolator> frame_;
  std::unique_ptr<client::FrameClock> clock_;
  Tick first_;  // tick of the first snapshot
};

void draw(const Terminal& terminal, const std::string& page) {
  if (terminal.shows()) std::fputs("\033[H\033[J", stdout);
  std::fputs(page.c_str(), stdout);
  std::fflush(stdout);
}

// Runs until the connection or the time ends, or the user stops it.
void watch_until_end(Watcher& watcher, host::UdpNetwork& network, const WatchOptions& options) {
  const host::StopSignal stop;
  const Terminal terminal(!options.events);
  std::uint32_t seconds = options.seconds;
  if (seconds == 0 && !options.events && !terminal.shows()) seconds = kPlainSeconds;
  // Draws ten pages per second on a terminal, one per second otherwise.
  const net::Nanoseconds interval = terminal.shows() ? kRedraw : net::kSecond;
  const net::Nanoseconds start = host::monotonic_now();
  const net::Nanoseconds end = start + seconds * net::kSecond;
  net::Nanoseconds drawn = start;
  bool shown = false;  // a page with bodies was drawn
  pollfd descriptor{network.descriptor(), POLLIN, 0};
  while (!stop.asked() && !terminal.quit_pressed()) {
    ::poll(&descriptor, 1, kPollMilliseconds);
    const net::Nanoseconds now = host::monotonic_now();
    watcher.update(now);
    if (watcher.connection().endpoint().state() == net::ClientState::ended) return;
    if (seconds != 0 && now >= end) return;
    if (options.events) continue;
    const bool first = !shown && watcher.shows(now);
    if (!first && now - drawn < interval) continue;
    shown = shown || first;
    draw(terminal, watcher.page(now, terminal.rows()));
    drawn = now;
  }
}

// Ends the connection. If it is already lost, or was never established, prints the reason on
// stderr. Returns the exit code: 0 if it was still connected or the server stopped, otherwise 1.
int conclude(client::Connection& connection, const host::UdpNetwork& network,
             const TokenSource& tokens) {
  const bool connected = connection.connected();
  if (!connected) {
    std::fprintf(stderr, "orrery: watch: %s\n", describe_end(connection, network, tokens).c_str());
  }
  connection.disconnect(host::monotonic_now());
  const bool stopped = connection.endpoint().end_reason() == net::EndReason::server_stopped;
  return connected || stopped ? 0 : 1;
}

int follow(host::UdpNetwork& network, const net::ConnectToken& token, const TokenSource& tokens,
           const WatchOptions& options) {
  client::Follower follower;
  client::Connection connection(network, token, host::monotonic_now(), /*events=*/false, &follower);
  follow_until_end(connection, follower, network, options.seconds);
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
  const auto tokens = TokenSource::open(options.access, server.value());
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
  Watcher watcher(*network.value(), connection);
  watch_until_end(watcher, *network.value(), options);
  return conclude(connection, *network.value(), tokens.value());
}

}  // namespace

void add_watch(Verb& program) {
  auto [verb, options] = program.add_verb("watch", "Show the bodies of a running server, live",
                                          "  orrery watch 127.0.0.1:4770\n"
                                          "  orrery watch 127.0.0.1:4770 --events --seconds 5\n"
                                          "  orrery watch 127.0.0.1:4770 --follow\n"
                                          "  orrery watch 10.0.0.1:4770 --token a.token",
                                          watch);
  add_server(verb, options.server);
  verb.option("--seconds", options.seconds, "Time to watch, in seconds")
      .shows_default("until q or Ctrl-C; 10 for a table that goes to a file or pipe")
      .whole_number(1, kSecondsMax)
      .type("S");
  const Option events =
      verb.flag("--events", options.events,
                "Print when bodies touch, part and hit instead of the table, one JSON object per "
                "line");
  verb.flag("--follow", options.follow,
            "Step the world here and compare each state hash with the server's. Print one "
            "line per second instead of the table")
      .excludes(events);
  add_access(verb, options.access);
}

}  // namespace orrery::cli
