// Runs test clients with sockets of their own, in one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "client/lib/bots/bot.h"
#include "client/udp/access.h"
#include "common/core/result.h"
#include "common/host/net/udp.h"

namespace orrery::cli {

// A bot and its socket. The server sees an ordinary client.
struct Seat {
  client::BotKind kind;
  std::unique_ptr<host::UdpNetwork> network;
  std::unique_ptr<client::Bot> bot;
};

// The settings of a crowd.
struct CrowdOptions {
  std::uint32_t count = 1;
  std::vector<client::BotKind> kinds;  // the bots take turns; REQUIRES: at least one
  client::BotOptions bot;              // without the kind; `seed` is of the first bot
};

// Opens the sockets and starts to connect. Each bot gets its tokens from a source of `access`.
Result<std::vector<Seat>> make_crowd(const CrowdOptions& options, const net::Address& server,
                                     const client::Access& access);

// Lets all play for a time, or until a signal asks to stop. Then stops them.
void play(std::vector<Seat>& crowd, std::uint32_t seconds);

}  // namespace orrery::cli
