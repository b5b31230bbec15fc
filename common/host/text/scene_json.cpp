// Reads the JSON of scenes by their schema.
#include "common/host/text/scene_json.h"

#include <flatbuffers/idl.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <variant>

#include "common/core/assert.h"
#include "common/core/limits.h"
#include "common/core/nearest.h"
#include "common/core/printable.h"
#include "common/host/text/scene_errors.h"
#include "host/scene_schema.h"

namespace orrery::host {
namespace {

using flatbuffers::FieldDef;
using flatbuffers::StructDef;
using flatbuffers::Type;
using json::Kind;
using json::Value;

std::vector<std::string_view> names_of(const auto& definitions) {
  std::vector<std::string_view> names;
  for (const auto* definition : definitions) names.emplace_back(definition->name);
  return names;
}

// Returns the names separated by ", ", but the last two by `last`.
std::string list_of(const std::vector<std::string_view>& names, const std::string& last) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    list.append(i == 0 ? "" : i + 1 == names.size() ? last : ", ").append(names[i]);
  }
  return list;
}

// Adds the keys of `table` and of all tables in its lists. `path` is the list that has the table.
void add_keys(const StructDef& table, const std::string& path, std::vector<ItemKeys>& found) {
  found.push_back({path, names_of(table.fields.vec)});
  for (const auto* field : table.fields.vec) {
    const Type& type = field->value.type;
    if (type.base_type != flatbuffers::BASE_TYPE_VECTOR || !type.struct_def) continue;
    if (type.struct_def->fixed) continue;
    add_keys(*type.struct_def, path + (path.empty() ? "" : ".") + field->name + "[]", found);
  }
}

// Returns the first member with the key, if there is one.
std::optional<json::Member> find(const Value& object, std::string_view key) {
  if (object.kind() != Kind::object) return {};
  for (const json::Member& member : object.members()) {
    if (member.key.text() == key) return member;
  }
  return {};
}

// Returns the items of the list with the key; none if there is no such list.
std::vector<Value> items_of(const Value& object, std::string_view key) {
  const auto list = find(object, key);
  return list && list->value.kind() == Kind::list ? list->value.items() : std::vector<Value>();
}

// Returns the id of the body that is described by item `place` of the list of bodies.
std::uint32_t id_of(const Value& body, std::size_t place) {
  auto id = static_cast<std::uint32_t>(place);
  if (const auto given = find(body, "id")) json::reads_as(given->value, id);
  return id;
}

// The value of a field of a table: the offset of a string, list or table, a number, or the 3 or 4
// numbers of a vector or quaternion.
using Offset = flatbuffers::Offset<void>;
using Numbers = std::vector<double>;
using Stored =
    std::variant<Offset, std::uint8_t, std::int32_t, std::uint32_t, std::uint64_t, double, Numbers>;

// A converter of one text. It stops at the first error.
class SceneReader {
 public:
  SceneReader(const StructDef& scene, const Value& root) : scene_(scene), root_(root) {
    builder_.DedupVtables(false);  // to compare each table with all others takes quadratic time
    const std::vector<Value> bodies = items_of(root, "bodies");
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const auto name = find(bodies[i], "name");
      if (!name || name->value.kind() != Kind::string || name->value.text().empty()) continue;
      ids_.emplace(name->value.text(), id_of(bodies[i], i));
    }
  }

  Result<std::vector<std::uint8_t>> read(const char* identifier) {
    const Offset scene = read_table(root_, scene_);
    if (error_) return *error_;
    builder_.Finish(scene, identifier);
    const std::uint8_t* const bytes = builder_.GetBufferPointer();
    return std::vector<std::uint8_t>(bytes, bytes + builder_.GetSize());
  }

 private:
  // Keeps the first error. Returns a value that converts to any that a caller returns.
  Offset fail(const Value& at, const std::string& what) {
    if (!error_) {
      error_ = Error{what, ErrorCode::invalid, at.place()};
      error_->place.key = path_;
    }
    return {};
  }

  Offset must_be(const Value& value, const std::string& what) {
    const std::string subject = path_.empty() ? "a scene" : path_;
    return fail(value, subject + " must be " + what + ", not " + value.shown());
  }

  // --- Tables and lists ---

  Offset read_table(const Value& object, const StructDef& table) {
    if (object.kind() != Kind::object) return must_be(object, "{...}");
    std::vector<std::pair<const FieldDef*, Stored>> fields;
    for (const auto& [key, value] : object.members()) {
      const FieldDef* const field = table.fields.Lookup(std::string(key.text()));
      if (!field) return unknown_key(key, table);
      const std::size_t outer = path_.size();
      path_.append(outer == 0 ? "" : ".").append(field->name);
      const bool again = std::any_of(fields.begin(), fields.end(),
                                     [&](const auto& each) { return each.first == field; });
      if (again) return fail(key, path_ + " is given twice");
      const bool body = field->attributes.Lookup("body") != nullptr;
      fields.emplace_back(field, body ? read_body(value) : read_value(value, field->value.type));
      if (error_) return {};
      path_.resize(outer);
    }
    const flatbuffers::uoffset_t start = builder_.StartTable();
    for (const auto& [field, stored] : fields) {
      std::visit([&, at = field->value.offset](const auto& value) { add(at, value); }, stored);
    }
    return builder_.EndTable(start);
  }

  Offset unknown_key(const Value& key, const StructDef& table) {
    std::vector<ItemKeys> all;
    add_keys(scene_, "", all);
    return fail(key, "unknown key \"" + printable(key.text(), kShownMax) + '"' +
                         (path_.empty() ? "" : " of " + path_) +
                         hint_at_key(key.text().substr(0, kShownMax), path_,
                                     names_of(table.fields.vec), all));
  }

  void add(flatbuffers::voffset_t field, auto number) { builder_.AddElement(field, number); }
  void add(flatbuffers::voffset_t field, Offset offset) { builder_.AddOffset(field, offset); }
  void add(flatbuffers::voffset_t field, const Numbers& numbers) {
    builder_.StartStruct(alignof(double));
    push(numbers);
    builder_.AddStructOffset(field, builder_.EndStruct());
  }

  void push(const Numbers& numbers) {
    for (std::size_t i = numbers.size(); i-- > 0;) builder_.PushElement(numbers[i]);
  }

  Offset read_list(const Value& list, const Type& type) {
    if (list.kind() != Kind::list) return must_be(list, "a list, [...]");
    const std::vector<Value> items = list.items();
    std::vector<Offset> tables;
    std::vector<std::uint32_t> indices;
    Numbers numbers;  // of doubles, or of vectors
    const std::size_t outer = path_.size();
    for (std::size_t i = 0; i < items.size() && !error_; ++i) {
      path_.append("[").append(std::to_string(i)).append("]");
      const Stored item = read_value(items[i], type);
      if (error_) return {};
      if (const auto* const table = std::get_if<Offset>(&item)) tables.push_back(*table);
      if (const auto* const index = std::get_if<std::uint32_t>(&item)) indices.push_back(*index);
      if (const auto* const number = std::get_if<double>(&item)) numbers.push_back(*number);
      if (const auto* const vector = std::get_if<Numbers>(&item)) {
        numbers.insert(numbers.end(), vector->begin(), vector->end());
      }
      path_.resize(outer);
    }
    if (!tables.empty()) return builder_.CreateVector(tables).o;
    if (!indices.empty()) return builder_.CreateVector(indices).o;
    builder_.StartVector(numbers.size(), sizeof(double));
    push(numbers);
    return builder_.EndVector(items.size());
  }

  // --- Values ---

  Stored read_value(const Value& value, const Type& type) {
    if (type.enum_def) return read_name(value, *type.enum_def);
    switch (type.base_type) {
      case flatbuffers::BASE_TYPE_VECTOR:
        return read_list(value, type.VectorType());
      case flatbuffers::BASE_TYPE_STRUCT:
        if (type.struct_def->fixed) return read_numbers(value, *type.struct_def);
        return read_table(value, *type.struct_def);
      case flatbuffers::BASE_TYPE_STRING:
        if (value.kind() != Kind::string) return must_be(value, "text in quotes");
        return Offset(builder_.CreateString(value.text().data(), value.text().size()).o);
      case flatbuffers::BASE_TYPE_BOOL: {
        const bool word = value.kind() == Kind::word;
        if (word && value.text() == "true") return std::uint8_t{1};
        if (word && value.text() == "false") return std::uint8_t{0};
        return must_be(value, "true or false");
      }
      case flatbuffers::BASE_TYPE_INT:
        return read_whole<std::int32_t>(value);
      case flatbuffers::BASE_TYPE_UINT:
        return read_whole<std::uint32_t>(value);
      case flatbuffers::BASE_TYPE_ULONG:
        return read_whole<std::uint64_t>(value);
      default:
        ORRERY_ASSERT(type.base_type == flatbuffers::BASE_TYPE_DOUBLE);
        double number = 0;
        if (!json::reads_as(value, number)) return must_be(value, "a number");
        return number;
    }
  }

  // Reads the id of a body, or its name in quotes.
  Stored read_body(const Value& value) {
    std::uint32_t id = 0;
    if (json::reads_as(value, id)) return id;
    if (value.kind() != Kind::string) {
      return must_be(value, "the id of a body, or its name in quotes");
    }
    const auto [first, last] = ids_.equal_range(value.text());
    if (first == last) {
      return fail(value, path_ + ": there is no body " + value.shown() + hint_at_body(value));
    }
    if (std::next(first) == last) return first->second;
    const std::string a = std::to_string(first->second);
    const std::string b = std::to_string(std::next(first)->second);
    return fail(value, path_ + ": bodies " + a + " and " + b + " are both named " + value.shown() +
                           "; it must be an id here, " + a + " or " + b);
  }

  std::string hint_at_body(const Value& name) const {
    std::vector<std::string_view> known;
    for (const auto& [each, id] : ids_) {
      if (each.size() <= limits::kNameBytesMax) known.push_back(each);
    }
    const std::string_view meant = nearest_name(name.text(), known);
    if (!meant.empty()) return "; did you mean " + printable(meant) + "?";
    return "; it must be the \"name\" of a body, or an id";
  }

  // Reads [x, y, z], or {"x": .., "y": .., "z": ..} in any order.
  Stored read_numbers(const Value& value, const StructDef& type) {
    const std::vector<std::string_view> names = names_of(type.fields.vec);
    Numbers numbers(names.size());
    std::size_t read = 0;
    if (value.kind() == Kind::list) {
      const std::vector<Value> items = value.items();
      const bool all = items.size() == names.size();
      while (all && read < names.size() && json::reads_as(items[read], numbers[read])) ++read;
    } else if (value.kind() == Kind::object && value.members().size() == names.size()) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        const auto member = find(value, names[i]);
        if (member && json::reads_as(member->value, numbers[i])) ++read;
      }
    }
    if (read == names.size()) return numbers;
    return fail(value, path_ + " must be [" + list_of(names, ", ") + "], all of them numbers");
  }

  Stored read_name(const Value& value, const flatbuffers::EnumDef& type) {
    const std::vector<std::string_view> names = names_of(type.Vals());
    const bool text = value.kind() == Kind::string || value.kind() == Kind::word;
    const std::string_view name = text ? value.text() : std::string_view();
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) return static_cast<std::uint8_t>(at - names.begin());
    const std::string_view meant = meant_name(name.substr(0, kShownMax), names);
    return fail(value, path_ + " must be " + list_of(names, " or ") + ", not " + value.shown() +
                           (meant.empty() ? "" : "; did you mean " + std::string(meant) + "?"));
  }

  template <class Integer>
  Stored read_whole(const Value& value) {
    Integer number = 0;
    if (json::reads_as(value, number)) return number;
    if (path_.ends_with("].shape")) {
      return must_be(value, "the place of a shape in the list shapes, a whole number from 0");
    }
    using Limits = std::numeric_limits<Integer>;
    return must_be(value, "a whole number from " + std::to_string(Limits::min()) + " to " +
                              std::to_string(Limits::max()));
  }

  const StructDef& scene_;
  const Value root_;
  std::multimap<std::string_view, std::uint32_t> ids_;  // by the names of bodies
  std::string path_;  // path of the value that is being read: "bodies[3].mass"
  flatbuffers::FlatBufferBuilder builder_;
  std::optional<Error> error_;
};

// A step of a path: "mass" or "body[3]".
struct Step {
  std::string name;
  std::optional<std::uint32_t> index;
};

std::vector<Step> steps_of(std::string_view path) {
  std::vector<Step> steps;
  while (!path.empty()) {
    const std::string_view step = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(step.size() + 1, path.size()));
    const std::size_t bracket = std::min(step.find('['), step.size());
    Step& added = steps.emplace_back(Step{std::string(step.substr(0, bracket)), {}});
    if (bracket == step.size()) continue;
    added.index = 0;
    std::from_chars(step.data() + bracket + 1, step.data() + step.size(), *added.index);
  }
  return steps;
}

// Returns the position in the list of the item that the step names. Bodies have ids.
std::size_t position_of(const Step& step, const std::vector<Value>& items) {
  if (step.name != "body") return *step.index;
  std::size_t i = 0;
  while (i < items.size() && id_of(items[i], i) != *step.index) ++i;
  return i;
}

}  // namespace

Result<std::vector<std::uint8_t>> binary_of_json(const json::Document& text) {
  flatbuffers::Parser schema;
  const bool sound = schema.Parse(kSceneSchema);
  ORRERY_ASSERT(sound && schema.root_struct_def_);
  return SceneReader(*schema.root_struct_def_, text.root()).read(schema.file_identifier_.c_str());
}

Error located(const json::Document& text, Error error) {
  Value at = text.root();
  std::string path;
  const std::vector<Step> steps = steps_of(error.place.key);
  if (!steps.empty()) error.place = at.place();
  for (const Step& step : steps) {
    const bool plural = step.name.ends_with('s');
    const std::string key = !step.index           ? step.name
                            : step.name == "body" ? "bodies"
                                                  : step.name + (plural ? "" : "s");
    const auto member = find(at, key);
    if (!member) break;
    path += (path.empty() ? "" : ".") + key;
    error.place = member->key.place();
    at = member->value;
    if (!step.index || at.kind() != Kind::list) continue;
    const std::vector<Value> items = at.items();
    const std::size_t position = position_of(step, items);
    if (position >= items.size()) break;
    at = items[position];
    path += '[' + std::to_string(position) + ']';
    error.place = at.place();
  }
  error.place.key = path;
  return error;
}

}  // namespace orrery::host
