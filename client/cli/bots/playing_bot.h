// A test client that plays as people do, and checks all that it receives and shows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/bots/behaviour.h"
#include "client/cli/bots/bot.h"
#include "client/cli/bots/frame_check.h"
#include "client/cli/bots/state_check.h"
#include "common/core/rng.h"

namespace orrery::client {

// A bot that plays through a Client. A lost connection is no problem by itself: the client connects
// again, and the bot counts that.
class PlayingBot final : public Bot {
 public:
  // Starts to connect. REQUIRES: the kind is not hostile.
  PlayingBot(ClientEnvironment environment, TokenSource tokens, const BotOptions& options,
             net::Nanoseconds now);

  void receive(const net::Address& from, Bytes datagram, net::Nanoseconds now,
               std::uint32_t route) override;
  void update(net::Nanoseconds now) override;
  std::optional<Outgoing> poll_send() override { return client_.poll_send(); }
  void finish() override { finishing_ = true; }
  void stop(net::Nanoseconds now) override;
  BotReport report() const override;
  std::vector<Shown> shown() const override { return frames_.shown(); }

  // Returns the client through which the bot plays.
  const Client& client() const { return client_; }

 private:
  // Counts of one connection, or of several.
  struct Counts {
    std::uint64_t complete = 0;
    std::uint64_t selected = 0;
    std::uint64_t incomplete = 0;
    std::uint64_t acknowledged = 0;
    std::uint64_t invalid = 0;  // messages
  };

  static Counts counts_of(const Connection* connection);
  static void add(const Counts& from, Counts& to);
  void notice(const Snapshot* snapshot, net::Nanoseconds now);
  void notice_join(net::Nanoseconds now);
  void notice_world(net::Nanoseconds now);
  void take(const Snapshot& state, net::Nanoseconds now);
  void visit(net::Nanoseconds now);
  void show(net::Nanoseconds now);
  void note(const std::optional<std::string>& problem);

  const BotOptions options_;
  const TokenSource tokens_;
  Client client_;
  SplitMix64 random_;
  const std::unique_ptr<Behaviour> behaviour_;
  StateCheck states_;
  FrameCheck frames_;
  BotReport found_;
  Counts past_;              // of connections that have ended
  Counts seen_;              // of the present connection
  std::uint64_t epoch_ = 0;  // of the last welcome
  bool joined_ = false;      // connected, as far as notice() has seen
  bool was_lost_ = false;    // the last connection ended, and the bot did not ask for that
  bool resumes_ = false;     // the next state is the first of another epoch
  bool finishing_ = false;
  net::Nanoseconds next_frame_ = 0;
  net::Nanoseconds next_visit_ = 0;  // when a visitor leaves, or connects again
};

}  // namespace orrery::client
