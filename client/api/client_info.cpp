// Gives facts and figures about a client.
#include "client/api/client_handle.h"
#include "client/api/structs.h"

namespace orrery::api {
namespace {

using client::ClientPhase;
using client::ConnectFailure;

static_assert(ORRERY_IDLE == static_cast<int>(ClientPhase::idle) &&
              ORRERY_CONNECTING == static_cast<int>(ClientPhase::connecting) &&
              ORRERY_CONNECTED == static_cast<int>(ClientPhase::connected) &&
              ORRERY_RECONNECTING == static_cast<int>(ClientPhase::reconnecting) &&
              ORRERY_ENDED == static_cast<int>(ClientPhase::ended));
static_assert(ORRERY_NO_FAILURE == static_cast<int>(ConnectFailure::none) &&
              ORRERY_NOBODY_LISTENS == static_cast<int>(ConnectFailure::nobody_listens) &&
              ORRERY_UNREACHABLE == static_cast<int>(ConnectFailure::unreachable) &&
              ORRERY_FULL == static_cast<int>(ConnectFailure::full) &&
              ORRERY_OTHER_VERSION == static_cast<int>(ConnectFailure::other_version) &&
              ORRERY_TOKEN_EXPIRED == static_cast<int>(ConnectFailure::token_expired) &&
              ORRERY_TOKEN_LONG_LIFE == static_cast<int>(ConnectFailure::token_long_life) &&
              ORRERY_TOKEN_FUTURE == static_cast<int>(ConnectFailure::token_future) &&
              ORRERY_TOKEN_ELSEWHERE == static_cast<int>(ConnectFailure::token_elsewhere) &&
              ORRERY_TOKEN_TOO_OLD == static_cast<int>(ConnectFailure::token_too_old) &&
              ORRERY_TOKEN_USED == static_cast<int>(ConnectFailure::token_used) &&
              ORRERY_TOKEN_OUTDATED == static_cast<int>(ConnectFailure::token_outdated) &&
              ORRERY_OTHER_PROGRAM == static_cast<int>(ConnectFailure::other_program) &&
              ORRERY_UNKNOWN_FAILURE == static_cast<int>(ConnectFailure::unknown) &&
              ORRERY_SILENT == static_cast<int>(ConnectFailure::silent) &&
              ORRERY_STOPPED == static_cast<int>(ConnectFailure::stopped) &&
              ORRERY_REPLACED == static_cast<int>(ConnectFailure::replaced) &&
              ORRERY_DROPPED == static_cast<int>(ConnectFailure::dropped) &&
              ORRERY_NO_TOKEN == static_cast<int>(ConnectFailure::no_token) &&
              ORRERY_KICKED == static_cast<int>(ConnectFailure::kicked) &&
              ORRERY_BANNED == static_cast<int>(ConnectFailure::banned));

orrery_client_info info_of(orrery_client& c) {
  orrery_client_info info{};
  const client::Client& it = c.client();
  info.phase = static_cast<std::int32_t>(it.phase());
  info.failure = static_cast<std::int32_t>(it.failure());
  const bool connects =
      it.phase() == ClientPhase::connecting || it.phase() == ClientPhase::reconnecting;
  const bool wants = it.phase() == ClientPhase::idle || (connects && c.wants_token);
  info.wants_token = wants ? 1 : 0;
  info.has_scene = it.scene() != nullptr ? 1 : 0;
  copy_text(it.problem().c_str(), info.problem, sizeof info.problem);
  if (it.stats().connections == 0) return info;
  const codec::message::Welcome& welcome = it.welcome();
  info.client = welcome.client.value;
  info.role = static_cast<std::int32_t>(welcome.role);
  info.tick_rate = welcome.tick_rate;
  info.tick_time = welcome.tick_time;
  info.epoch = welcome.epoch;
  info.account = welcome.account;
  copy_text(welcome.scene.c_str(), info.scene, sizeof info.scene);
  return info;
}

orrery_client_stats stats_of(orrery_client& c) {
  const client::ClientStats from = c.client().stats();
  orrery_client_stats stats{};
  stats.diverged = from.mismatch ? 1 : 0;
  stats.round_trip = from.round_trip;
  stats.jitter = from.jitter;
  stats.loss = from.loss;
  stats.frame_delay = from.frame_delay;
  stats.command_slack = from.command_slack;
  stats.margin = from.margin.value_or(0);
  stats.commands = from.commands;
  stats.late_reports = from.late_reports;
  stats.bytes_received = from.bytes_received;
  stats.datagrams_received = from.datagrams_received;
  stats.events_missed = from.events_missed;
  stats.hitches = from.hitches;
  stats.jumps = from.jumps;
  stats.connections = from.connections;
  stats.ticks_checked = from.ticks_checked;
  stats.first_divergent_tick = from.mismatch ? from.mismatch->tick.value : 0;
  stats.refused = from.refused;
  stats.refusals_missed = from.refusals_missed;
  stats.notices_missed = from.notices_missed;
  return stats;
}

}  // namespace
}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_get_client_info(orrery_client* client, orrery_client_info* info) {
  return give(client, info, "info", info_of);
}

int32_t orrery_get_client_stats(orrery_client* client, orrery_client_stats* stats) {
  return give(client, stats, "stats", stats_of);
}
