// Shows the session to the web side: its state as JSON, its health, its counters, and new tokens.
#include "server/web/session_view.h"

#include <fmt/format.h>

#include "common/codec/scene_codec.h"
#include "common/core/hash.h"
#include "common/core/versions.h"
#include "common/host/net/issued_token.h"
#include "common/host/process/random.h"
#include "common/host/text/json.h"

namespace orrery::server::web {
namespace {

// The server is unhealthy after this time without a tick. The slowest scenes have one tick a
// second.
constexpr net::Nanoseconds kTickless = 3 * net::kSecond;

std::uint64_t hash_of(const Scene& scene) {
  std::vector<std::uint8_t> bytes;
  codec::encode_scene(scene, bytes);
  return checksum(bytes);
}

}  // namespace

SessionView::SessionView(const Server& server, const host::LogFile& log, const net::Access& access,
                         const codec::SessionId& session, const HostRules& hosts,
                         std::function<std::string()> metrics, net::Nanoseconds now)
    : server_(server),
      log_(log),
      access_(access),
      session_(fmt::format("{:02x}", fmt::join(session, ""))),
      hosts_(hosts),
      metrics_(std::move(metrics)),
      scene_hash_(hash_of(server.world().scene())),
      tick_(server.world().tick().value),
      ticked_(now) {}

std::string SessionView::session_json() const {
  const World& world = server_.world();
  const session::LogState log = log_.state();
  std::uint64_t joined = 0;
  for (ClientId client{1}; client <= server_.endpoint().peers().highest(); ++client.value) {
    if (server_.endpoint().peers()[client].joined) ++joined;
  }
  json::Object session;
  session.add({{"session", session_},
               {"scene", world.scene().name},
               {"scene_hash", fmt::format("{:#018x}", scene_hash_)},
               {"bodies", std::uint64_t{world.bodies().count()}},
               {"tick", world.tick().value},
               {"tick_rate", world.scene().tick_rate},
               {"rules", std::uint64_t{kRulesVersion}},
               {"protocol", std::uint64_t{kProtocolVersion}},
               {"version", ORRERY_VERSION},
               {"mode", development() ? "development" : "tokens"},
               {"clients", joined},
               {"durable_tick", log.durable.value},
               {"log_segment", std::uint64_t{log.segment}}});
  return session.text().text + '\n';
}

void SessionView::observe(net::Nanoseconds now) {
  const std::uint64_t tick = server_.world().tick().value;
  if (tick == tick_) return;
  tick_ = tick;
  ticked_ = now;
}

Health SessionView::health(net::Nanoseconds now) const {
  const World& world = server_.world();
  const session::LogState log = log_.state();
  const std::uint64_t second = world.scene().tick_rate;
  std::string problem;
  if (!server_.endpoint().gate().takes_new_tokens()) {
    problem = "starting";
  } else if (now - ticked_ > kTickless) {
    problem = "no tick";
  } else if (!log.damage.empty()) {
    problem = "log damaged";
  } else if (log.failing || world.tick().value > log.durable.value + second) {
    problem = "log not durable";
  }
  json::Object health;
  health.add({{"healthy", problem.empty()},
              {"problem", problem.empty() ? json::null() : json::of(problem)},
              {"tick", world.tick().value},
              {"durable_tick", log.durable.value}});
  return {problem.empty(), health.text().text + '\n'};
}

std::vector<std::uint8_t> SessionView::token(Role role) const {
  ORRERY_ASSERT(development());
  host::TokenChoices choices;
  choices.client_id = host::random_u64();
  choices.role = role;
  choices.servers = {access_.address};
  choices.send_to = {access_.address};
  const host::KeyFile key{.key = access_.key, .protocol_id = access_.protocol_id, .server = {}};
  return net::encode_connect_token(host::issue_token(key, choices));
}

std::string SessionView::log_tag(std::uint32_t segment) const {
  const std::uint64_t removed = log_.state().removed.last.value;
  return fmt::format("\"{}-{}-{}\"", session_, segment, removed);
}

}  // namespace orrery::server::web
