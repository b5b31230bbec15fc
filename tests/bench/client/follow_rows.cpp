// Measures the bytes sent to a client that follows.
#include "client/lib/connection.h"
#include "tests/bench/rows.h"
#include "tests/bench/table.h"
#include "tests/support/served_session.h"

namespace orrery::bench {
namespace {

constexpr int kTicks = 600;

// A session with one follower and one player.
class FollowedSession {
 public:
  FollowedSession() {
    run(300);  // packet sequences have two bytes from now on, for 18 minutes
    ORRERY_ASSERT(player_.connected() && follower_.world());
  }

  // Returns the bytes that the follower receives for each tick.
  double bytes_per_tick(int ticks) {
    const std::uint64_t before = guest_.counters().bytes_received;
    run(ticks);
    ORRERY_ASSERT(follower_.world()->tick() == session_.world.tick() && !follower_.mismatch());
    return static_cast<double>(guest_.counters().bytes_received - before) / ticks;
  }

  // Lets the player move a grabbed body once a tick from now on. A move takes 15 bytes from the
  // 128th command on, because its sequence number then takes two bytes.
  void move() {
    const bool given = player_.command(command::Grab{BodyId{37}, {}, {1, 2, 5}});
    ORRERY_ASSERT(given);
    moves_ = true;
    run(130);
  }

 private:
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      session_.tick();
      test::update(guest_, guest_port_, session_.now());
      if (moves_) player_.command(command::Move{{i % 2 == 0 ? 1.0f : 0.9999f, 2, 5}});
      test::update(player_, player_port_, session_.now());
    }
  }

  test::ServedSession session_{"playground"};
  test::Port guest_port_{session_.network, test::address_of(2)};
  test::Port player_port_{session_.network, test::address_of(3)};
  client::Follower follower_;
  client::Connection guest_{guest_port_, session_.token(2), session_.now(), false, &follower_};
  client::Connection player_{player_port_, session_.token(3), session_.now()};
  bool moves_ = false;
};

}  // namespace

void print_follow_rows() {
  FollowedSession session;
  const double quiet = session.bytes_per_tick(kTicks);
  session.move();
  const double busy = session.bytes_per_tick(kTicks);
  print_row("following playground, 60 ticks a second, no commands", "24 kbit/s",
            format("%.1f kbit/s", 8e-3 * 60 * quiet), format("%.1f bytes a datagram", quiet));
  print_row("the same, for each move", "16 bytes", format("%.1f bytes", busy - quiet), "-");
}

}  // namespace orrery::bench
