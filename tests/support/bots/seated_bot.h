// A test client with a port in a simulated network.
#pragma once

#include <memory>
#include <utility>

#include "client/cli/bots/playing_bot.h"
#include "common/net/drain.h"
#include "tests/support/served_session.h"

namespace orrery::test {

// A bot with its own address. It gets a new token for each connection.
struct SeatedBot {
  SeatedBot(ServedSession& session, std::uint32_t host, const client::BotOptions& options)
      : port(session.network, address_of(host)),
        bot(client::make_bot(
            environment(), [&session, host] { return token(session, host); }, options,
            session.now())) {}

  // Lets the bot receive all that has arrived, play and send.
  void update(net::Nanoseconds now) {
    net::drain(port, [&](const net::Address& from, Bytes datagram) {
      bot->receive(from, datagram, now, 0);
    });
    bot->update(now);
    send();
  }

  // Stops the bot, and sends its goodbye.
  void stop(net::Nanoseconds now) {
    bot->stop(now);
    send();
  }

  // Returns the bot's client. REQUIRES: the bot is not hostile.
  const client::Client& client() const {
    return dynamic_cast<const client::PlayingBot&>(*bot).client();
  }
  // Returns the bot's newest snapshot. REQUIRES: the bot has received a snapshot.
  const client::Snapshot& newest() const { return *client().connection()->snapshots().newest(); }

  Port port;
  std::unique_ptr<client::Bot> bot;

 private:
  static Result<client::TokenOffer> token(const ServedSession& session, std::uint32_t host) {
    return client::TokenOffer{session.token(host)};
  }

  client::ClientEnvironment environment() {
    return {.cipher = &port.cipher(),
            .random = [this] { return port.random(); },
            .unix_seconds = [this] { return port.unix_seconds(); }};
  }

  void send() {
    while (const auto datagram = bot->poll_send()) port.send(datagram->to, datagram->bytes);
  }
};

}  // namespace orrery::test
