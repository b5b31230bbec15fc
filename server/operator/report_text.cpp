// Writes a report as JSON, as log lines and in the Prometheus text format.
#include <fmt/format.h>

#include "common/host/text/json.h"
#include "server/operator/counters.h"
#include "server/operator/log_line.h"

namespace orrery::server {
namespace {

constexpr bool is_known(const CounterValue& value) {
  return !std::holds_alternative<std::monostate>(value);
}

json::Text json_of(const CounterValue& value) {
  return std::visit(
      [](const auto& it) {
        if constexpr (std::is_same_v<decltype(it), const std::monostate&>) {
          return json::null();
        } else {
          return json::of(it);
        }
      },
      value);
}

// Adds the counters of a group to an object. Returns false if none has a value.
template <class Report>
bool add_group(json::Object& object, std::span<const Counter<Report>> counters,
               std::string_view group, const Report& report) {
  bool known = false;
  for (const Counter<Report>& counter : counters) {
    if (counter.group != group) continue;
    const CounterValue value = counter.value(report);
    known = known || is_known(value);
    object.add(counter.name, json_of(value));
  }
  return known;
}

json::Text group_json(std::string_view group, const SessionReport& report) {
  json::Object object;
  const bool known = add_group(object, session_counters(), group, report);
  if (group == "network") object.add("dropped", group_json("dropped", report));
  return known ? object.text() : json::null();
}

void log_group(LogEvent event, std::string_view group, const SessionReport& report) {
  std::vector<LogField> fields;
  for (const Counter<SessionReport>& counter : session_counters()) {
    if (counter.group != group) continue;
    const CounterValue value = counter.value(report);
    std::visit(
        [&](const auto& it) {
          if constexpr (!std::is_same_v<decltype(it), const std::monostate&>) {
            fields.emplace_back(counter.name, it);
          }
        },
        value);
  }
  if (!fields.empty()) log_event(event, fields);
}

// Returns a number for Prometheus, or nothing if the value is none.
std::string number_of(const CounterValue& value) {
  if (const bool* const flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  const bool is_number =
      std::holds_alternative<std::uint64_t>(value) || std::holds_alternative<double>(value);
  return is_number ? json_of(value).text : std::string();
}

}  // namespace

void log_counters(const SessionReport& report) {
  log_group(LogEvent::counters_session, "session", report);
  log_group(LogEvent::counters_network, "network", report);
  log_group(LogEvent::counters_dropped, "dropped", report);
  log_group(LogEvent::counters_paths, "paths", report);
  log_group(LogEvent::counters_commands, "commands", report);
  log_group(LogEvent::counters_log, "log", report);
  log_group(LogEvent::counters_shadow, "shadow", report);
}

std::string to_json(const SessionReport& report) {
  std::string clients;
  for (const ClientReport& client : report.clients) {
    json::Object object;
    add_group(object, client_counters(), "clients", client);
    clients += (clients.empty() ? "\n" : ",\n") + object.text().text;
  }
  json::Object object;
  object.add("unix_seconds", report.unix_seconds);
  add_group(object, session_counters(), "session", report);
  for (const char* const group : {"network", "paths", "commands", "log", "shadow"}) {
    object.add(group, group_json(group, report));
  }
  object.add("clients", json::Text{'[' + clients + (clients.empty() ? "]" : "\n]")});
  return object.text().text + '\n';
}

std::string to_metrics(const SessionReport& report) {
  std::string text;
  std::string described;
  for (const Counter<SessionReport>& counter : session_counters()) {
    const std::string number = number_of(counter.value(report));
    if (number.empty() || number == json::null().text) continue;
    const bool dropped = counter.group == "dropped";
    std::string name = "orrery_";
    if (counter.group != "session") name.append(counter.group);
    if (!dropped) name.append(counter.group == "session" ? "" : "_").append(counter.name);
    if (counter.grows) name += "_total";
    if (name != described) {
      text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name,
                          dropped ? "Dropped datagrams, by reason." : counter.meaning, name,
                          counter.grows ? "counter" : "gauge");
    }
    described = name;
    text += name + (dropped ? fmt::format("{{reason=\"{}\"}}", counter.name) : "") + ' ' + number +
            '\n';
  }
  return text;
}

}  // namespace orrery::server
