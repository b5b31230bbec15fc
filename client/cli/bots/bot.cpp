// A test client: it plays in some way, and checks everything that it receives.
#include "client/cli/bots/bot.h"

#include <utility>

#include "client/cli/bots/hostile_bot.h"
#include "client/cli/bots/playing_bot.h"

namespace orrery::client {

std::optional<BotKind> bot_kind(std::string_view name) {
  constexpr std::string_view kNames[] = {"mixed", "idle",  "wander", "throw",
                                         "push",  "visit", "hostile"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<BotKind>(i);
  }
  return std::nullopt;
}

std::unique_ptr<Bot> make_bot(ClientEnvironment environment, TokenSource tokens,
                              const BotOptions& options, net::Nanoseconds now) {
  if (options.kind == BotKind::hostile) {
    return std::make_unique<HostileBot>(std::move(environment), std::move(tokens), options.seed,
                                        now);
  }
  return std::make_unique<PlayingBot>(std::move(environment), std::move(tokens), options, now);
}

}  // namespace orrery::client
