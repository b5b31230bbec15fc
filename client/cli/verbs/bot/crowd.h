// Runs test clients in one thread. Each has its own socket.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "client/cli/bots/bot.h"
#include "client/udp/access.h"
#include "client/udp/client_sockets.h"
#include "common/core/result.h"

namespace orrery::cli {

// A bot and its sockets. The server treats the bot like any other client.
struct Seat {
  client::BotKind kind;
  std::unique_ptr<client::ClientSockets> sockets;
  std::unique_ptr<client::Bot> bot;
};

// The settings of a crowd.
struct CrowdOptions {
  std::uint32_t count = 1;
  std::vector<client::BotKind> kinds;  // bot i gets kinds[i % kinds.size()]; not empty
  // Options of every bot. Each bot gets its kind from `kinds`, so `bot.kind` has no effect. Bot i
  // uses the seed `bot.seed` + i.
  client::BotOptions bot;
};

// Opens the sockets and starts to connect. `access` makes a separate source of tokens for each bot.
Result<std::vector<Seat>> make_crowd(const CrowdOptions& options, const client::Access& access);

// Updates all bots for `seconds`, or until a signal asks to stop. Then stops all bots.
void play(std::vector<Seat>& crowd, std::uint32_t seconds);

}  // namespace orrery::cli
