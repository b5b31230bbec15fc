// Lists the counters of a session. The status file, the log lines, /metrics and the page of
// counters come from this list.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "server/operator/report.h"

namespace orrery::server {

// The value of a counter. Nothing: not known, or there is none.
using CounterValue = std::variant<std::monostate, std::uint64_t, double, bool, std::string>;

// A row of the list.
template <class Report>
struct Counter {
  std::string_view group;  // as in the log events; empty: the session itself, or a client
  std::string_view name;
  std::string_view meaning;  // for the page, in Markdown, and for /metrics
  bool grows = false;        // counts events since the start: never falls while the server runs
  CounterValue (*value)(const Report& report) = nullptr;
};

// Returns the counters of a session, group by group. server/REFERENCE.md has them in this order.
std::span<const Counter<SessionReport>> session_counters();

// Returns the counters of a client, which only the status file has.
std::span<const Counter<ClientReport>> client_counters();

}  // namespace orrery::server
