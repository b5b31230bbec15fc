// Describes a divergence as text and as JSON.
#include "client/cli/render/divergence_text.h"

#include <bit>
#include <cstdio>
#include <utility>
#include <vector>

#include "client/cli/command_json.h"
#include "common/core/counted.h"
#include "common/math/ulps.h"

namespace orrery::cli {
namespace {

// Maximum number of contacts or commands that the text lists, one a line. The JSON output lists
// all.
constexpr std::size_t kLinesMax = 8;

const char* source_name(session::Source source) {
  constexpr const char* kNames[] = {"checkpoint", "replay", "hash", "unknown"};
  return kNames[static_cast<std::size_t>(source)];
}

json::Text number_json(double value) {
  return json::object({{"decimal", value}, {"hex", hex(value)}});
}

json::Text of(const FieldDifference& field) {
  return json::object({{"body", field.body.value},
                       {"field", field_name(field.field)},
                       {"a", number_json(field.a)},
                       {"b", number_json(field.b)},
                       {"ulps", ulps_between(field.a, field.b)}});
}

json::Text of(const BodyContact& contact) {
  return json::object(
      {{"with", contact.with.value}, {"points", contact.points}, {"impulse", contact.impulse}});
}

using json::of;

template <class Item>
json::Text list(const std::vector<Item>& all) {
  std::vector<json::Text> items;
  for (const Item& item : all) items.push_back(of(item));
  return json::array(items);
}

json::Text contacts_json(const std::optional<World>& world, std::optional<BodyId> body) {
  if (!world || !body) return json::null();
  return list(contacts_of(*world, slot_of(*body)));
}

void add_state(const session::Divergence& found, json::Object& object) {
  const StateDifference& state = found.state;
  object.add({{"parts", list(state.parts())},
              {"bodies_differing", state.bodies},
              {"fields", list(state.fields)},
              {"only_a", list(state.only_a)},
              {"only_b", list(state.only_b)},
              {"contacts_a", contacts_json(found.a, found.body)},
              {"contacts_b", contacts_json(found.b, found.body)}});
}

// --- text ---

void print_value(const char* name, double value, session::Source source) {
  const char* const how = source == session::Source::hash ? "   computed from the hash" : "";
  std::printf("    %s  %-24s %s%s\n", name, decimal(value).c_str(), hex(value).c_str(), how);
}

void print_field(const FieldDifference& field, session::Source source_a, session::Source source_b) {
  std::printf("  body %u, %s\n", field.body.value, std::string(field_name(field.field)).c_str());
  print_value("a", field.a, source_a);
  print_value("b", field.b, source_b);
  std::printf("    %s apart\n", counted(ulps_between(field.a, field.b), "ulp").c_str());
}

void print_extent(const session::Divergence& found) {
  const StateDifference& state = found.state;
  std::string parts;
  for (const std::string_view part : state.parts()) {
    parts.append(parts.empty() ? "" : ", ").append(part);
  }
  std::printf("  differs  %s; %u of %u bodies\n", parts.c_str(), state.bodies,
              found.a->bodies().count());
  for (const BodyId body : state.only_a) std::printf("    body %u is only in a\n", body.value);
  for (const BodyId body : state.only_b) std::printf("    body %u is only in b\n", body.value);
}

void print_contacts(const char* name, const World& world, BodyId body) {
  const std::vector<BodyContact> contacts = contacts_of(world, slot_of(body));
  if (contacts.empty()) std::printf("    %s  none\n", name);
  for (std::size_t i = 0; i < std::min(contacts.size(), kLinesMax); ++i) {
    const BodyContact& contact = contacts[i];
    std::printf("    %s  with body %u: %s, impulse %s\n", name, contact.with.value,
                counted(contact.points, "point").c_str(), decimal(contact.impulse).c_str());
  }
  if (contacts.size() > kLinesMax) {
    std::printf("    %s  and %zu more\n", name, contacts.size() - kLinesMax);
  }
}

void print_later(const session::LaterDifference& later) {
  const std::uint32_t bodies = later.state.bodies;
  std::printf("  later    at the checkpoint of tick %llu, %s differ%s\n",
              static_cast<unsigned long long>(later.tick.value),
              counted(bodies, "body", "bodies").c_str(), bodies == 1 ? "s" : "");
  if (later.state.fields.empty()) return;
  print_field(later.state.fields.front(), session::Source::checkpoint, session::Source::checkpoint);
}

void print_commands(const session::Divergence& found) {
  const std::size_t alike = found.commands_a.size() + found.commands_b.size();
  if (alike == 0) {
    std::printf("  commands of the tick: none\n");
    return;
  }
  if (found.command_differences.empty()) {
    std::printf("  commands of the tick, in both:\n");
    for (std::size_t i = 0; i < std::min(found.commands_a.size(), kLinesMax); ++i) {
      std::printf("    %s\n", json::of(found.commands_a[i]).text.c_str());
    }
    if (found.commands_a.size() > kLinesMax) {
      std::printf("    and %zu more\n", found.commands_a.size() - kLinesMax);
    }
    return;
  }
  std::printf("  commands of the tick: %zu in a, %zu in b; only in one of them:\n",
              found.commands_a.size(), found.commands_b.size());
  for (std::size_t i = 0; i < std::min(found.command_differences.size(), kLinesMax); ++i) {
    const session::CommandDifference& one = found.command_differences[i];
    std::printf("    %s  %s\n", one.in_a ? "a" : "b", json::of(one.command).text.c_str());
  }
}

}  // namespace

std::string hex(double value) { return json::hash(std::bit_cast<std::uint64_t>(value)); }

// Returns true if the divergence has two state hashes. Divergences with the cause scene, rules or
// length have none.
bool has_hashes(const session::Divergence& found) { return found.hash_a != 0 || found.hash_b != 0; }

void add_divergence(const session::Explanation& explained, json::Object& object) {
  const session::Divergence& found = explained.divergence;
  const bool has_tick = found.cause != session::Cause::scene;
  const auto& field = found.field;
  object.add({{"tick", has_tick ? json::of(found.tick.value) : json::null()},
              {"body", found.body},
              {"field", field ? json::of(field_name(field->field)) : json::null()},
              {"a", field ? number_json(field->a) : json::null()},
              {"b", field ? number_json(field->b) : json::null()},
              {"ulps", field ? json::of(ulps_between(field->a, field->b)) : json::null()},
              {"cause", session::cause_name(found.cause)},
              {"why", found.why},
              {"phase", found.phase ? json::of(session::phase_name(*found.phase)) : json::null()},
              {"hash_a", has_hashes(found) ? json::of(json::hash(found.hash_a)) : json::null()},
              {"hash_b", has_hashes(found) ? json::of(json::hash(found.hash_b)) : json::null()},
              {"known_a", source_name(found.source_a)},
              {"known_b", source_name(found.source_b)},
              {"commands_a", json::of(std::span<const Command>(found.commands_a))},
              {"commands_b", json::of(std::span<const Command>(found.commands_b))}});
  add_state(found, object);
  if (!explained.later) return;
  object.add("later", json::object({{"tick", explained.later->tick.value},
                                    {"bodies_differing", explained.later->state.bodies},
                                    {"fields", list(explained.later->state.fields)}}));
}

void print_divergence(const session::Explanation& explained) {
  const session::Divergence& found = explained.divergence;
  std::printf("  cause    %s: %s\n", std::string(session::cause_name(found.cause)).c_str(),
              found.why.c_str());
  if (found.cause == session::Cause::scene || found.cause == session::Cause::length) return;
  if (found.phase)
    std::printf("  phase    %s\n", std::string(session::phase_name(*found.phase)).c_str());
  if (found.field) {
    print_field(*found.field, found.source_a, found.source_b);
  } else if (found.body) {
    std::printf("  body %u\n", found.body->value);
  }
  if (found.a && found.b && found.state.any()) {
    print_extent(found);
    if (found.body && found.a->collision()) {
      std::printf("  contacts of body %u\n", found.body->value);
      print_contacts("a", *found.a, *found.body);
      print_contacts("b", *found.b, *found.body);
    }
  }
  if (!found.unknown.empty()) std::printf("  values   unknown: %s\n", found.unknown.c_str());
  if (explained.later) print_later(*explained.later);
  print_commands(found);
  if (!has_hashes(found)) return;
  std::printf("  hashes   a %s, b %s\n", json::hash(found.hash_a).c_str(),
              json::hash(found.hash_b).c_str());
}

}  // namespace orrery::cli
