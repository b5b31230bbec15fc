// Converts commands to and from JSON objects, with the names of schema/log.md 7.2.
#include "client/cli/command_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "client/cli/json.h"
#include "common/codec/command_codec.h"
#include "common/core/nearest.h"
#include "common/math/vec3f.h"

namespace orrery::json {
namespace {

// --- the fields of all commands, in the order of writing and reading ---

template <class Payload, class Field>
void fields(Payload& c, Field& field) {
  if constexpr (requires { c.body; }) field("body", c.body);
  if constexpr (requires { c.joint; }) field("joint", c.joint);
  if constexpr (requires { c.force; }) field("force", c.force);
  if constexpr (requires { c.torque; }) field("torque", c.torque);
  if constexpr (requires { c.impulse; }) field("impulse", c.impulse);
  if constexpr (requires { c.at; }) field("at", c.at);
  if constexpr (requires { c.target; }) field("target", c.target);
  if constexpr (requires { c.prototype; }) field("like", c.prototype);
  if constexpr (requires { c.position; }) field("position", c.position);
  constexpr bool kSpawns = std::is_same_v<Payload, command::Spawn>;
  if constexpr (kSpawns) field.optional("orientation", c.orientation);
  if constexpr (!kSpawns && requires { c.orientation; }) field("orientation", c.orientation);
  if constexpr (requires { c.velocity; }) field("velocity", c.velocity);
  if constexpr (kSpawns) field.optional("angular_velocity", c.angular_velocity);
  if constexpr (!kSpawns && requires { c.angular_velocity; })
    field("angular_velocity", c.angular_velocity);
  if constexpr (requires { c.ticks; }) field("ticks", c.ticks);
  if constexpr (requires { c.speed; }) field("speed", c.speed);
  if constexpr (requires { c.frequency; }) field("frequency", c.frequency);
  if constexpr (requires { c.damping_ratio; }) field("damping_ratio", c.damping_ratio);
  if constexpr (requires { c.max; }) field("max", c.max);
  if constexpr (requires { c.category; }) field("category", c.category);
  if constexpr (requires { c.mask; }) field("mask", c.mask);
  if constexpr (requires { c.scale; }) field("scale", c.scale);
  if constexpr (requires { c.parameter; }) field("parameter", c.parameter);
  if constexpr (requires { c.key; }) field("key", c.key);
  if constexpr (requires { c.value; }) field("value", c.value);
  if constexpr (std::is_same_v<Payload, command::Tell>) field("to", c.client);
  if constexpr (requires { c.text; }) field("text", c.text);
  if constexpr (std::is_same_v<Payload, command::Join>) field("joins", c.client);
  if constexpr (std::is_same_v<Payload, command::Leave>) field("leaves", c.client);
  if constexpr (std::is_same_v<Payload, command::Kick>) field("kicks", c.client);
  if constexpr (std::is_same_v<Payload, command::Ban>) field("bans", c.client);
  if constexpr (requires { c.reason; }) field("reason", c.reason);
  if constexpr (requires { c.role; }) field("role", c.role);
  if constexpr (requires { c.control; }) field("control", c.control);
  if constexpr (requires { c.owner; }) field("owner", c.owner);
  if constexpr (requires { c.account; }) field.optional("account", c.account);
  if constexpr (requires { c.user_data; }) field.optional("user_data", c.user_data);
}

// Returns true if all numbers are 0, and none is -0.
bool is_usual(std::initializer_list<float> numbers) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [](float x) { return x == 0 && !std::signbit(x); });
}

// --- names, indexed by the values that they name ---

constexpr std::array<std::string_view, std::variant_size_v<CommandPayload>> kCommands = {
    "thrust",
    "torque",
    "impulse",
    "grab",
    "move",
    "release",
    "spawn",
    "remove",
    "set_parameter",
    "join",
    "leave",
    "set_control",
    "disown",
    "set_velocity",
    "move_to",
    "place",
    "set_motor",
    "set_target",
    "set_value",
    "message",
    "tell",
    "set_filter",
    "set_gravity_scale",
    "kick",
    "ban"};

constexpr std::array<std::string_view, kParameters> kParameterNames = {"gravity",
                                                                       "gravitational_constant"};
constexpr std::array<std::string_view, 3> kRoleNames = {"watch", "play", "admin"};
constexpr std::array<std::string_view, 3> kControlNames = {"nobody", "anyone", "owner"};

std::span<const std::string_view> names_of(Parameter) { return kParameterNames; }
std::span<const std::string_view> names_of(Role) { return kRoleNames; }
std::span<const std::string_view> names_of(Control) { return kControlNames; }

// --- writing ---

struct FieldWriter {
  Object& out;

  void operator()(const char* key, std::uint32_t value) { out.add(key, value); }
  void operator()(const char* key, std::uint64_t value) { out.add(key, value); }
  // Writes a field unless it has its default: 0, a vector or quaternion of zeros, no bytes. -0 is
  // another number: the codec keeps it.
  void optional(const char* key, std::uint64_t value) {
    if (value != 0) (*this)(key, value);
  }
  void optional(const char* key, const command::Value& bytes) {
    if (!bytes.empty()) (*this)(key, bytes);
  }
  void optional(const char* key, const Vec3f& v) {
    if (!is_usual({v.x, v.y, v.z})) (*this)(key, v);
  }
  void optional(const char* key, const Quatf& q) {
    if (!is_usual({q.x, q.y, q.z, q.w})) (*this)(key, q);
  }
  template <class Tag>
  void operator()(const char* key, Id<Tag, std::uint32_t> id) {
    out.add(key, id.value);
  }
  void operator()(const char* key, const Vec3f& v) { out.add(key, widen(v)); }
  void operator()(const char* key, const Quatf& q) { out.add(key, widen(q)); }
  void operator()(const char* key, float value) { out.add(key, double{value}); }
  // Writes text of printable ASCII characters as a string, and other bytes in hexadecimal.
  template <std::size_t kMax>
  void operator()(const char* key, const BoundedBytes<kMax>& bytes) {
    const Bytes view = bytes.view();
    const bool plain = std::all_of(view.begin(), view.end(),
                                   [](std::uint8_t byte) { return byte >= 0x20 && byte <= 0x7e; });
    if (plain) {
      out.add(key, std::string(view.begin(), view.end()));
    } else {
      out.add(key, object({{"hex", hex(view)}}));
    }
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(const char* key, Enum value) {
    out.add(key, names_of(value)[static_cast<std::size_t>(value)]);
  }
};

// --- reading ---

std::string list_of(std::span<const std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) list.append(list.empty() ? "" : ", ").append(name);
  return list;
}

// Returns the bytes of a string, or those of {"hex": "..."}; nothing for any other value.
std::optional<std::string> bytes_of(const Value& value) {
  if (value.kind() == Kind::string) return std::string(value.text());
  if (value.kind() != Kind::object) return std::nullopt;
  const std::vector<Member> members = value.members();
  if (members.size() != 1 || members[0].key.text() != "hex" ||
      members[0].value.kind() != Kind::string) {
    return std::nullopt;
  }
  const std::string_view digits = members[0].value.text();
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    unsigned byte = 0;
    const std::string_view pair = digits.substr(i, 2);
    const auto [end, error] = std::from_chars(pair.data(), pair.data() + pair.size(), byte, 16);
    if (pair.size() != 2 || error != std::errc{} || end != pair.data() + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

// A reader of the members of an object by key, which keeps the first error.
class FieldReader {
 public:
  explicit FieldReader(const Value& object) : object_(object), rest_(object.members()) {}

  template <std::unsigned_integral Number>
  void operator()(const char* key, Number& number) {
    const std::optional<Value> value = take(key);
    constexpr const char* kBits = sizeof(Number) == 4 ? "32" : "64";
    if (!value || !reads_as(*value, number)) {
      must_be(key, value, std::string("a whole number below 2^") + kBits);
    }
  }
  template <class Tag>
  void operator()(const char* key, Id<Tag, std::uint32_t>& id) {
    (*this)(key, id.value);
  }
  void operator()(const char* key, Vec3f& v) {
    const std::optional<Value> value = take(key);
    const bool list = value && value->kind() == Kind::list;
    const std::vector<Value> items = list ? value->items() : std::vector<Value>();
    const bool sound = items.size() == 3 && reads_as(items[0], v.x) && reads_as(items[1], v.y) &&
                       reads_as(items[2], v.z);
    if (!sound) must_be(key, value, "[x, y, z], all of them numbers");
  }
  void operator()(const char* key, Quatf& q) {
    const std::optional<Value> value = take(key);
    const bool list = value && value->kind() == Kind::list;
    const std::vector<Value> items = list ? value->items() : std::vector<Value>();
    const bool sound = items.size() == 4 && reads_as(items[0], q.x) && reads_as(items[1], q.y) &&
                       reads_as(items[2], q.z) && reads_as(items[3], q.w);
    if (!sound) must_be(key, value, "[x, y, z, w], all of them numbers");
  }
  // Reads text, or {"hex": "..."}.
  template <std::size_t kMax>
  void operator()(const char* key, BoundedBytes<kMax>& bytes) {
    const std::optional<Value> value = take(key);
    const std::optional<std::string> text = value ? bytes_of(*value) : std::nullopt;
    if (!text || text->size() > kMax) {
      return must_be(key, value,
                     "text or {\"hex\": ...} of at most " + std::to_string(kMax) + " bytes");
    }
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(text->data());
    bytes = BoundedBytes<kMax>(Bytes(begin, text->size()));
  }
  void operator()(const char* key, float& number) {
    const std::optional<Value> value = take(key);
    if (!value || !reads_as(*value, number)) must_be(key, value, "a number");
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(const char* key, Enum& value) {
    value = static_cast<Enum>(name(key, names_of(value)));
  }

  // Reads the value of `key` and returns its index in `names`. If the value is not among them,
  // keeps an error and returns 0.
  std::size_t name(const char* key, std::span<const std::string_view> names) {
    const std::optional<Value> value = take(key);
    const bool text = value && value->kind() == Kind::string;
    const auto at = text ? std::find(names.begin(), names.end(), value->text()) : names.end();
    if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
    must_be(key, value, "one of " + list_of(names));
    return 0;
  }

  // Reads a field if it is present.
  template <class Field>
  void optional(const char* key, Field& value) {
    if (find(key) != rest_.end()) return (*this)(key, value);
    taken_.push_back(key);
  }

  // Returns the first error. Without one, returns an error about the first key that is unknown or
  // given twice, if there is one. REQUIRES: all known fields were read.
  Problem problem() const {
    if (problem_ || rest_.empty()) return problem_;
    const Value& key = rest_.front().key;
    const bool taken = std::find(taken_.begin(), taken_.end(), key.text()) != taken_.end();
    return error_at(
        key, key.shown() +
                 (taken ? " is given twice" : " is unknown here" + suggestion(key.text(), taken_)));
  }

 private:
  std::vector<Member>::iterator find(std::string_view key) {
    return std::find_if(rest_.begin(), rest_.end(),
                        [&](const Member& member) { return member.key.text() == key; });
  }

  // Removes the first member with this key and returns its value; nothing if there is none.
  std::optional<Value> take(std::string_view key) {
    taken_.push_back(key);
    const auto at = find(key);
    if (at == rest_.end()) return {};
    const Value value = at->value;
    rest_.erase(at);
    return value;
  }

  void must_be(const std::string& key, const std::optional<Value>& value, const std::string& what) {
    if (!problem_) problem_ = error_at(value.value_or(object_), key + " must be " + what);
  }

  const Value object_;
  std::vector<Member> rest_;
  std::vector<std::string_view> taken_;
  Problem problem_;
};

// Returns a payload of the given kind with default values.
template <std::size_t... kKinds>
CommandPayload payload_of(std::size_t kind, std::index_sequence<kKinds...>) {
  CommandPayload payload;
  ((kind == kKinds ? void(payload.emplace<kKinds>()) : void()), ...);
  return payload;
}

}  // namespace

Text of(const Command& command) {
  Object object;
  object.add({{"client", command.client.value},
              {"sequence", command.sequence.value},
              {"command", kCommands[command.payload.index()]}});
  FieldWriter write{object};
  CommandPayload payload = command.payload;
  std::visit([&write](auto& p) { fields(p, write); }, payload);
  return object.text();
}

Text of(std::span<const Command> commands) {
  std::vector<json::Text> items;
  for (const Command& command : commands) items.push_back(json::of(command));
  return array(items);
}

Result<Command> command_of(const Value& object, Sequence sequence) {
  if (object.kind() != Kind::object) {
    return error_at(object, "a command must be {\"client\": ..., \"command\": ..., ...}");
  }
  FieldReader read(object);
  Command command{{}, sequence, {}};
  read("client", command.client);
  read.optional("sequence", command.sequence);
  const std::size_t kind = read.name("command", kCommands);
  command.payload = payload_of(kind, std::make_index_sequence<kCommands.size()>());
  std::visit([&read](auto& payload) { fields(payload, read); }, command.payload);
  if (Problem problem = read.problem()) return *problem;
  if (codec::is_in_range(command)) return command;
  return error_at(object,
                  "a number of the " + std::string(kCommands[kind]) + " command is out of range");
}

}  // namespace orrery::json
