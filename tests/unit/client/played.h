// Provides a server in one process, and a client that draws frames, in virtual time.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "client/lib/client.h"
#include "common/host/net/sodium_cipher.h"
#include "tests/support/served_session.h"

namespace orrery::test {

// A server, and a client that draws 144 frames a second.
struct Played : ServedSession {
  explicit Played(const char* scene, const client::ClientOptions& options = {},
                  const LinkFaults& faults = {}, std::uint64_t seed = 1)
      : Played(built_in_scene(scene).value(), options, faults, seed) {}
  Played(Scene scene, const client::ClientOptions& options, const LinkFaults& faults = {},
         std::uint64_t seed = 1)
      : ServedSession(std::move(scene), seed, faults), client(environment(), options) {
    client.connect([this] { return next_token(); }, now());
  }

  client::ClientEnvironment environment() {
    return {.cipher = &cipher,
            .random = [this] { return port.random(); },
            .unix_seconds = [this] { return port.unix_seconds(); }};
  }

  Result<client::TokenOffer> next_token() {
    ++tokens;
    if (!gives_tokens) return Error{"no token is left"};
    if (!has_tokens) return client::TokenOffer{{}, why_none};
    return client::TokenOffer{token(2, choices)};
  }

  // Lets the client handle arrived datagrams, send, and draw a frame.
  void pump() {
    net::drain(client_port, [&](const net::Address& from, Bytes datagram) {
      client.receive(from, datagram, now());
    });
    client.update(now());
    while (const auto datagram = client.poll_send())
      client_port.send(datagram->to, datagram->bytes);
    frame = client.frame(now(), mode);
  }

  // Runs client and server for a time, at their own rates. The server pauses if `serves` is false.
  void run(double seconds, bool serves = true) {
    run_client(seconds, [&] {
      if (serves) server.tick(now());
    });
  }

  // Runs the client for a time, and calls `do_tick()` whenever a tick of the server is due.
  template <class DoTick>
  void run_client(double seconds, DoTick do_tick) {
    const net::Nanoseconds end = now() + static_cast<net::Nanoseconds>(seconds * net::kSecond);
    const net::Nanoseconds tick_time = net::kSecond / world.scene().tick_rate;
    while (now() < end) {
      network.now += net::kSecond / 144;
      if (now() >= next_tick) {
        next_tick = std::max(next_tick + tick_time, now() - tick_time);
        do_tick();
      }
      pump();
    }
  }

  const client::BodyPose* pose(std::uint32_t body) const {
    for (const client::BodyPose& p : *frame.poses) {
      if (p.id.value == body) return &p;
    }
    return nullptr;
  }

  host::SodiumCipher cipher;
  Port client_port{network, address_of(2)};
  bool gives_tokens = true;
  bool has_tokens = true;
  std::string why_none;
  int tokens = 0;
  TokenChoices choices;
  net::Nanoseconds next_tick = 0;
  client::FrameMode mode = client::FrameMode::verlet;
  client::Client client;
  client::Frame frame;
};

}  // namespace orrery::test
