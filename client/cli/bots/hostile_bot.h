// A test client that attacks the server with a valid token.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "client/cli/bots/bot.h"
#include "client/lib/send_queue.h"
#include "common/core/rng.h"
#include "common/net/client_endpoint.h"

namespace orrery::client {

// A bot that sends:
// - datagrams that are random, truncated, flipped or repeated;
// - messages with valid seals that do not decode, or have undefined numbers;
// - commands for any body, for ticks in the far future, and with wrong numbers;
// - bursts of commands, and floods, for which the server drops it.
// It connects again after the server has dropped it, and sometimes before. The only problem that it
// reports is a server that does not let it in again.
class HostileBot final : public Bot {
 public:
  HostileBot(ClientEnvironment environment, TokenSource tokens, std::uint64_t seed,
             net::Nanoseconds now);

  void receive(const net::Address& from, Bytes datagram, net::Nanoseconds now,
               std::uint32_t route) override;
  void update(net::Nanoseconds now) override;
  std::optional<Outgoing> poll_send() override;
  void finish() override { finishing_ = true; }
  void stop(net::Nanoseconds now) override;
  BotReport report() const override { return found_; }

 private:
  void connect(net::Nanoseconds now);
  void end();
  void attack(net::Nanoseconds now);
  void send_commands(std::uint32_t first, Tick tick, bool spoiled, net::Nanoseconds now);
  void send_query(net::Nanoseconds now);
  void send_random_message(net::Nanoseconds now);
  void send_random_datagram();
  void repeat_datagram();
  void fill(std::vector<std::uint8_t>& bytes, std::uint32_t size_max);

  SendQueue queue_;
  const TokenSource tokens_;
  SplitMix64 random_;
  std::optional<net::ClientEndpoint> endpoint_;
  BotReport found_;
  bool accepted_ = false;  // by the server, in the present connection
  bool finishing_ = false;
  std::uint32_t sequence_ = 0;  // number of the first command of the last burst without a gap
  net::Nanoseconds next_attack_ = 0;
  net::Nanoseconds flood_until_ = 0;
  net::Nanoseconds connect_at_ = 0;     // when to connect again, if there is no connection
  net::Nanoseconds lost_at_ = 0;        // when the last connection ended
  std::vector<std::uint8_t> message_;   // scratch memory
  std::vector<std::uint8_t> recorded_;  // a datagram that it has sent
};

}  // namespace orrery::client
