// A client of a server: connects, keeps clocks, sends commands, and gives the poses for each frame.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/lib/arrivals.h"
#include "client/lib/call_clock.h"
#include "client/lib/command_clock.h"
#include "client/lib/connection.h"
#include "client/lib/frames/frames.h"
#include "client/lib/send_queue.h"
#include "common/core/result.h"

namespace orrery::client {

// The answer of a token source.
struct TokenOffer {
  std::optional<net::ConnectToken> token;  // nothing: there is none yet
  std::string why_none = {};               // the reason for people, or empty
};

// Gives a connect token for each connection. If the source has no token yet, the client asks again
// in the next update(). An Error ends the client; its message is one sentence.
using TokenSource = std::function<Result<TokenOffer>()>;

// Returns a source that gives the token once. A server accepts a token only once, so this client
// cannot connect again after a loss.
TokenSource single_token(const net::ConnectToken& token);

// The settings of a client.
struct ClientOptions {
  bool follow = false;  // step the world here and compare each state hash with the server's
  bool plain = false;   // receive plain snapshots instead of differences; ignored if it follows
  bool events = false;  // receive events; if the client follows, those of the followed world
  CommandDelay command_delay;
  std::optional<session::Fault> fault = {};  // of the followed world, for tests
  // Time for which the client tries to restore a lost connection, with the server's resumption
  // ticket or with new tokens. 0: it never tries.
  net::Nanoseconds reconnect = 60 * net::kSecond;
};

// The state of a client.
enum class ClientPhase : std::uint8_t { idle, connecting, connected, reconnecting, ended };

// Figures about the connection and its clocks. Counts are since the client was made.
struct ClientStats {
  double round_trip = 0;         // seconds; 0: unknown
  double jitter = 0;             // seconds
  double loss = 0;               // share of lost datagrams, 0 to 1
  double frame_delay = 0;        // ticks by which the shown tick is later than the server's
  double command_slack = 0;      // ticks that a command on the fastest path waits at the server
  std::optional<double> margin;  // newest report of how early commands arrived, in ticks
  std::uint64_t commands = 0;
  std::uint64_t late_reports = 0;  // reports of the server that a command was late
  std::uint64_t bytes_received = 0;
  std::uint64_t datagrams_received = 0;
  bool narrowed = false;              // client or server found that the path drops large datagrams
  std::uint64_t events_missed = 0;    // left out by the server, or for lack of room here
  std::uint64_t refused = 0;          // commands that the server refused, as far as it said so
  std::uint64_t refusals_missed = 0;  // of these, not in take_refusals(), for lack of room
  std::uint64_t notices_missed = 0;   // tells that were missed, for lack of room here
  std::uint64_t hitches = 0;          // pauses of the caller of more than FrameClock::kHitchSeconds
  std::uint64_t jumps = 0;            // other jumps of the shown tick
  std::uint64_t connections = 0;      // connections that the server accepted
  std::uint64_t ticks_checked = 0;    // ticks stepped and compared, if the client follows
  std::optional<session::Mismatch> mismatch;      // first tick with different states
  std::shared_ptr<const session::Flight> flight;  // the last ten seconds before it, if known
};

// The newest attempt to connect, and the plan to restore a lost connection.
struct Retry {
  TokenSource tokens;
  ConnectAttempt attempt;
  net::TokenNonce nonce{};      // of its token
  net::KeptTickets tickets;     // of the lost connections
  bool resumes = false;         // the attempt uses a ticket
  net::Nanoseconds ask_at = 0;  // when to ask for a token too, while the ticket is tried
  ConnectReport problem{ConnectFailure::none, {}};
  // why the connection ended, without the reason for a missing token
  std::string ended;
  bool silent = false;                      // the connection is there, but its server is silent
  net::Nanoseconds joined_at = 0;           // when the server accepted the client
  std::optional<net::Nanoseconds> lost_at;  // when the connection was lost
  net::Nanoseconds at = 0;                  // when to connect again
  net::Nanoseconds wait = 0;                // wait before the attempt after that, if this one fails

  // Returns true if the server accepted the client, and the connection was lost at most `limit`
  // ago.
  bool has_time(net::Nanoseconds now, net::Nanoseconds limit) const {
    return lost_at && limit > 0 && now - *lost_at <= limit;
  }
  // Notes that the connection was lost. A connection that lasted less than kSteady does not extend
  // the time for reconnecting.
  void note_loss(net::Nanoseconds now);
  // Sets the problem. The reason for a missing token is empty until set_reason() is called.
  void set_problem(const ConnectReport& report) {
    problem = report;
    ended = report.text;
  }
  // Appends the reason for a missing token to the problem. An empty text removes it.
  void set_reason(const std::string& why) {
    problem.text = ended + (ended.empty() || why.empty() ? "" : "; ") + why;
  }
};

// The clocks and the frames of a session, and what arrived for the program.
struct Playback {
  Arrivals arrivals;
  std::optional<CommandClock> commands;
  std::optional<Frames> frames;
  std::optional<Scene> scene;  // of the last connection
  codec::message::Welcome welcome;
  Tick newest;         // tick of the newest state
  bool waits = false;  // the connection has brought no state yet
  CallClock calls;
  bool resumed = false;       // the next state is of a new epoch: the server was started again
  std::uint64_t checked = 0;  // ticks that the present follower has compared
  std::uint64_t hitches = 0;  // in earlier epochs
  std::uint64_t jumps = 0;    // in earlier epochs
};

// Time for which a client keeps the bodies of a lost connection, in seconds.
inline constexpr double kKeptSeconds = 10;

// A client. It owns the connection, the follower, the clocks and the frames. It has no thread and
// no socket: datagrams go in and out as bytes, and the caller passes the time. All times are
// nanoseconds of one monotonic clock. If that clock goes back nevertheless, CallClock corrects its
// times.
//
// Loop of a program, at any rate of 30 times a second or more:
//   for each datagram that arrived:     client.receive(from, datagram, now, route)
//   then:                               client.update(now)
//   while (auto d = client.poll_send()) send d->bytes to d->to, from the socket of d->route
//   draw client.frame(now)
class Client {
 public:
  // REQUIRES: the cipher of the environment outlives the client.
  explicit Client(ClientEnvironment environment, const ClientOptions& options = {});
  Client(const Client&) = delete;  // parts refer to each other

  // Starts to connect with a token from the source. If the connection is lost later, and a new
  // attempt may succeed, the client connects again. It uses the resumption ticket that the server
  // gave it. If the server refuses the ticket, or does not answer for a second, the client also
  // asks the source for another token. REQUIRES: phase() is idle or ended.
  void connect(TokenSource tokens, net::Nanoseconds now);
  // Tells a connected client that its path is gone, such as a closed WebSocket. It connects again
  // at once, instead of waiting for the server's silence to tell it.
  void lose(net::Nanoseconds now);
  // Ends the connection, and informs the server.
  void disconnect(net::Nanoseconds now);

  // Takes a datagram. Returns the snapshot that it completes, as Connection::receive() does.
  // `route` is the route of the socket (Outgoing::route); 0 if the caller has one way to send for
  // all routes.
  const Snapshot* receive(const net::Address& from, Bytes datagram, net::Nanoseconds now,
                          std::uint32_t route = 0);
  // Sends waiting commands, repeats unanswered packets, notices a lost connection and connects
  // again. Call it after the waiting datagrams were received.
  void update(net::Nanoseconds now);
  // Returns the next datagram to send, valid until the next call; nothing if none waits.
  std::optional<Outgoing> poll_send() { return queue_.take(); }

  // Queues a command for the earliest tick that it can reach in time. Returns false if the client
  // has no connection (one with a silent server counts), or if limits::kCommandsQueuedMax commands
  // wait for an acknowledgement. The commands are numbered 1, 2, 3, ...: stats().commands is the
  // number of the newest.
  bool command(const CommandPayload& payload, net::Nanoseconds now);

  // Asks the server for the first part that a ray hits from `origin` to `origin` + `along`. Returns
  // the number of the ray, which its answer in arrivals() repeats; nothing if the client is not
  // connected, or the server fell silent. An answer that does not arrive within a second never
  // will. REQUIRES: both vectors are finite, with components up to limits::kLengthMax.
  std::optional<std::uint32_t> cast_ray(const Vec3& origin, const Vec3& along,
                                        net::Nanoseconds now);

  // Returns the bodies at `now`. A body without a new state stops after 250 ms and then has quality
  // `stale`. The frame is empty before the first state, and after kKeptSeconds without a
  // connection. It is valid until the next call of a function that is not const.
  Frame frame(net::Nanoseconds now, FrameMode mode = FrameMode::verlet);

  // Returns the scene of the session, perhaps from an earlier connection; nullptr until it has
  // arrived. It is valid until the next call of update(), receive(), connect() or disconnect(). The
  // server does not send scenes of more than 16 MiB to a client that does not follow.
  const Scene* scene() const;
  // Returns the connection, for its counters and snapshots; nullptr if there is none.
  const Connection* connection() const { return connection_.get(); }
  // Returns the followed world; nullptr if the client does not follow, or before the first state.
  // It stays after the connection was lost, until the client connects again or disconnect() is
  // called.
  const World* world() const { return follower_ ? follower_->world() : nullptr; }
  // Returns the events, the refused commands, the notices and the answers to rays, from which the
  // program takes them.
  Arrivals& arrivals() { return playback_.arrivals; }

  // Returns the state of the connection. While the server of a connected client is silent for more
  // than net::kSilentAfter, the phase is `reconnecting`, and failure() is `silent`. The client then
  // looks for another path to the server, and keeps the connection: the server may only have
  // paused.
  ClientPhase phase() const { return phase_; }
  // Returns the welcome with which the server accepted the client. REQUIRES: connected once.
  const codec::message::Welcome& welcome() const { return playback_.welcome; }
  // Returns why the client is not connected, as one sentence for people. The text is empty if the
  // client is connected, is in its first attempt, or was not asked to connect.
  const std::string& problem() const { return retry_.problem.text; }
  // Returns the cause for which problem() is the text.
  ConnectFailure failure() const { return retry_.problem.cause; }
  // Returns the newest attempt to connect, as it is now. Its `reason` says how the connection
  // ended, if it did.
  ConnectAttempt attempt() const;
  ClientStats stats() const;

 private:
  void open(net::Nanoseconds now);
  std::optional<net::ConnectToken> next_token(net::Nanoseconds now);
  void notice_join(net::Nanoseconds now);
  void notice_end(net::Nanoseconds now);
  void add_state(const Snapshot* snapshot, net::Nanoseconds now);
  void take_report(net::Nanoseconds now);
  void close();

  ClientOptions options_;
  SendQueue queue_;
  std::unique_ptr<Follower> follower_;
  std::unique_ptr<Connection> connection_;
  Playback playback_;
  ClientPhase phase_ = ClientPhase::idle;
  Retry retry_;
  ClientStats stats_;
};

}  // namespace orrery::client
