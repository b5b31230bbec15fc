// Reads the JSON of scenes by their schema. Errors name the line.
#include "common/host/text/scene_json.h"

#include <flatbuffers/idl.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "common/core/assert.h"
#include "common/core/limits.h"
#include "common/core/nearest.h"
#include "common/core/printable.h"
#include "common/host/text/json_tokens.h"
#include "common/host/text/scene_errors.h"
#include "host/scene_schema.h"

namespace orrery::host {
namespace {

using flatbuffers::BaseType;
using flatbuffers::StructDef;
using flatbuffers::Type;

constexpr std::size_t kShownMax = 40;  // characters of the wrong text that a message shows

void read_schema(flatbuffers::Parser& parser) {
  const bool sound = parser.Parse(kSceneSchema);
  ORRERY_ASSERT(sound && parser.root_struct_def_);
}

template <class Definitions>
std::vector<std::string_view> names_of(const Definitions& definitions) {
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

// A place in the text that names a body in quotes instead of by its id: `begin` to `end`, in bytes.
struct Reference {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string path;  // path of the value: "joints[3].a"
};

// A reader of one text. It stops at the first error, which problem() describes. It also finds the
// line of a given path: the line of its key or, if there is no such key, of the innermost item
// around its place.
class SceneReader {
 public:
  explicit SceneReader(std::string_view text, std::string path = {})
      : text_(text), tokens_(text), sought_(std::move(path)) {}

  bool read(const StructDef& scene) {
    scene_ = &scene;
    if (!read_table(scene)) return false;
    const JsonToken rest = tokens_.peek();
    return rest.text.empty() || fail("nothing may follow the scene; there is " + shown(rest));
  }

  // Appends a copy of the text, with ids in place of the names that refer to bodies. Returns false
  // (see problem()) if a name is not that of exactly one body. REQUIRES: read() has returned true.
  bool write_ids(std::string& out) {
    std::sort(names_.begin(), names_.end());
    std::size_t copied = 0;
    for (const Reference& reference : references_) {
      const std::optional<std::uint32_t> id = id_of(reference);
      if (!id) return false;
      out.append(text_.substr(copied, reference.begin - copied)).append(std::to_string(*id));
      copied = reference.end;
    }
    out.append(text_.substr(copied));
    return true;
  }

  const std::string& problem() const { return problem_; }
  std::optional<int> line_of_path() const { return found_; }

  // Returns the position in the list of the body with this id, or `id` if there is none.
  std::size_t place_of_body(std::uint32_t id) const {
    const auto at = std::find(ids_.begin(), ids_.end(), id);
    return at == ids_.end() ? id : static_cast<std::size_t>(at - ids_.begin());
  }

 private:
  bool fail(const std::string& what) {
    if (problem_.empty()) problem_ = "line " + std::to_string(tokens_.line()) + ": " + what;
    return false;
  }

  static std::string shown(const JsonToken& token) {
    if (token.quoted) return '"' + printable(token.text, kShownMax) + '"';
    return token.text.empty() ? "the end of the text" : printable(token.text, kShownMax);
  }

  bool expected(const std::string& what) {
    return fail("expected " + what + ", not " + shown(tokens_.peek()));
  }

  bool must_be(const std::string& what) {
    return fail((path_.empty() ? "a scene" : path_) + " must be " + what + ", not " +
                shown(tokens_.peek()));
  }

  // Reads the end of an item of a list or table: a comma, unless the closing bracket follows.
  bool end_item(char bracket) {
    return tokens_.take(',') || tokens_.peek().is(bracket) ||
           expected(std::string("',' or '") + bracket + "'");
  }

  // Records the current line if the current path is the sought one or contains it.
  void note_line() {
    if (path_.empty() || !sought_.starts_with(path_)) return;
    const std::string_view rest = std::string_view(sought_).substr(path_.size());
    if (rest.empty() || rest.front() == '.' || rest.front() == '[') found_ = tokens_.line();
  }

  bool read_table(const StructDef& table) {
    if (!tokens_.take('{')) return must_be("{...}");
    std::vector<std::string_view> seen;
    while (!tokens_.take('}')) {
      if (!read_member(table, seen) || !end_item('}')) return false;
    }
    return true;
  }

  bool read_member(const StructDef& table, std::vector<std::string_view>& seen) {
    const JsonToken key = tokens_.peek();
    if (key.text.empty() || !key.closed) return expected("a key");
    const auto* const field = table.fields.Lookup(std::string(key.text.substr(0, kShownMax)));
    if (!field) {
      return fail("unknown key " + shown({key.text, true}) + (path_.empty() ? "" : " of " + path_) +
                  hint_at(key.text, table));
    }
    const std::size_t outer = path_.size();
    path_.append(outer == 0 ? "" : ".").append(field->name);
    if (std::find(seen.begin(), seen.end(), key.text) != seen.end()) {
      return fail(path_ + " is given twice");
    }
    seen.push_back(key.text);
    note_line();
    tokens_.consume();
    if (!tokens_.take(':')) return expected("':' behind " + path_);
    const bool body = field->attributes.Lookup("body") != nullptr;
    if (!(body ? read_body_reference() : read_value(field->value.type))) return false;
    path_.resize(outer);
    return true;
  }

  std::string hint_at(std::string_view key, const StructDef& table) const {
    std::vector<ItemKeys> all;
    add_keys(*scene_, "", all);
    return hint_at_key(key, path_, names_of(table.fields.vec), all);
  }

  bool read_list(const Type& item) {
    if (!tokens_.take('[')) return must_be("a list, [...]");
    const std::size_t outer = path_.size();
    const bool bodies = path_ == "bodies";
    for (std::size_t i = 0; !tokens_.take(']'); ++i) {
      path_.append("[").append(std::to_string(i)).append("]");
      tokens_.peek();
      note_line();
      if (bodies) ids_.push_back(static_cast<std::uint32_t>(i));
      if (!read_value(item) || !end_item(']')) return false;
      path_.resize(outer);
    }
    return true;
  }

  bool read_value(const Type& type) {
    if (type.base_type == flatbuffers::BASE_TYPE_VECTOR) return read_list(type.VectorType());
    if (type.base_type == flatbuffers::BASE_TYPE_STRUCT) {
      return type.struct_def->fixed ? read_numbers(*type.struct_def) : read_table(*type.struct_def);
    }
    const JsonToken value = tokens_.peek();
    const bool sound = type.enum_def ? is_name(value, type) : is_scalar(value, type.base_type);
    if (sound) tokens_.consume();
    return sound;
  }

  // Reads the id of a body, or its name in quotes.
  bool read_body_reference() {
    const JsonToken value = tokens_.peek();
    std::uint32_t id = 0;
    if (!value.quoted && !reads_as(value.text, id)) {
      return must_be("the id of a body, or its name in quotes");
    }
    if (!value.closed) return is_scalar(value, flatbuffers::BASE_TYPE_STRING);
    if (value.quoted) references_.push_back({tokens_.begin(), tokens_.end(), path_});
    tokens_.consume();
    return true;
  }

  // Returns the id of the only body with the name, or nothing (see problem()) if not exactly one
  // has it. Names count as equal only if the file writes them with the same characters; escapes are
  // not decoded. REQUIRES: names_ is sorted.
  std::optional<std::uint32_t> id_of(const Reference& reference) {
    tokens_.go_to(reference.begin);
    const std::string_view name = tokens_.peek().text;
    const auto [first, last] =
        std::equal_range(names_.begin(), names_.end(), Name{name, 0},
                         [](const Name& a, const Name& b) { return a.first < b.first; });
    if (last - first == 1) return ids_[first->second];
    const std::string quoted = shown({name, true});
    if (first == last) {
      fail(reference.path + ": there is no body " + quoted + hint_at_body(name));
    } else {
      const std::string ids[] = {std::to_string(ids_[first->second]),
                                 std::to_string(ids_[std::next(first)->second])};
      fail(reference.path + ": bodies " + ids[0] + " and " + ids[1] + " are both named " + quoted +
           "; it must be an id here, " + ids[0] + " or " + ids[1]);
    }
    return {};
  }

  std::string hint_at_body(std::string_view name) const {
    std::vector<std::string_view> known;
    for (const Name& each : names_) {
      if (each.first.size() <= limits::kNameBytesMax) known.push_back(each.first);
    }
    const std::string_view meant = nearest_name(name, known);
    if (!meant.empty()) return "; did you mean " + printable(meant) + "?";
    return "; it must be the \"name\" of a body, or an id";
  }

  // Reads [x, y, z], or {"x": .., "y": .., "z": ..} in any order.
  bool read_numbers(const StructDef& numbers) {
    std::vector<std::string_view> missing = names_of(numbers.fields.vec);
    const std::string all = list_of(missing, ", ");
    const bool named = tokens_.peek().is('{');
    const char bracket = named ? '}' : ']';
    bool sound = tokens_.take(named ? '{' : '[');
    while (sound && !missing.empty()) {
      auto next = missing.begin();
      if (named) {
        next = std::find(missing.begin(), missing.end(), tokens_.peek().text);
        tokens_.consume();
        sound = next != missing.end() && tokens_.take(':');
      }
      sound = sound && is_number(tokens_.peek());
      tokens_.consume();
      sound = sound && (tokens_.take(',') || tokens_.peek().is(bracket));
      if (sound) missing.erase(next);
    }
    return (sound && tokens_.take(bracket)) ||
           fail(path_ + " must be [" + all + "], all of them numbers");
  }

  static bool is_number(const JsonToken& token) {
    double number = 0;
    return !token.quoted && reads_as(token.text, number);
  }

  bool is_name(const JsonToken& value, const Type& type) {
    const std::vector<std::string_view> names = names_of(type.enum_def->Vals());
    if (std::find(names.begin(), names.end(), value.text) != names.end()) return true;
    const std::string_view meant = meant_name(value.text, names);
    return fail(path_ + " must be " + list_of(names, " or ") + ", not " + shown(value) +
                (meant.empty() ? "" : "; did you mean " + std::string(meant) + "?"));
  }

  bool is_scalar(const JsonToken& value, BaseType type) {
    if (type == flatbuffers::BASE_TYPE_STRING) {
      if (!value.quoted) return must_be("text in quotes");
      const bool body = path_.ends_with("].name") && !value.text.empty();
      if (body) names_.emplace_back(value.text, ids_.size() - 1);
      return value.closed || fail(path_ + " must end in this line, with the quote it begins with");
    }
    if (type == flatbuffers::BASE_TYPE_BOOL) {
      const bool sound = value.text == "true" || value.text == "false";
      return (sound && !value.quoted) || must_be("true or false");
    }
    if (type == flatbuffers::BASE_TYPE_INT) return is_whole<std::int32_t>(value);
    if (type == flatbuffers::BASE_TYPE_UINT) return is_whole<std::uint32_t>(value);
    if (type == flatbuffers::BASE_TYPE_ULONG) return is_whole<std::uint64_t>(value);
    ORRERY_ASSERT(type == flatbuffers::BASE_TYPE_DOUBLE);
    return is_number(value) || must_be("a number");
  }

  template <class Integer>
  bool is_whole(const JsonToken& value) {
    Integer number = 0;
    if (value.quoted || !reads_as(value.text, number)) {
      if (path_.ends_with("].shape")) {
        return must_be("the place of a shape in the list shapes, a whole number from 0");
      }
      using Limits = std::numeric_limits<Integer>;
      return must_be("a whole number from " + std::to_string(Limits::min()) + " to " +
                     std::to_string(Limits::max()));
    }
    if (path_.ends_with(".id")) ids_.back() = static_cast<std::uint32_t>(number);
    return true;
  }

  std::string_view text_;
  JsonTokens tokens_;
  const StructDef* scene_ = nullptr;
  std::string path_;  // path of the value that is being read: "bodies[3].mass"
  std::string sought_;
  std::optional<int> found_;
  std::vector<std::uint32_t> ids_;  // ids of bodies, by position in the list
  // The name of a body, and its position in the list.
  using Name = std::pair<std::string_view, std::size_t>;
  std::vector<Name> names_;
  std::vector<Reference> references_;
  std::string problem_;
};

}  // namespace

Result<std::vector<std::uint8_t>> binary_of_json(const std::string& text) {
  if (text.find('\0') != std::string::npos) return Error{"contains a zero byte; expected JSON"};
  flatbuffers::IDLOptions options;
  options.force_defaults = true;  // otherwise the parser leaves out -0 if the default is 0
  flatbuffers::Parser parser(options);
  read_schema(parser);
  SceneReader reader(text);
  std::string with_ids;
  if (!reader.read(*parser.root_struct_def_) || !reader.write_ids(with_ids)) {
    return Error{reader.problem()};
  }
  // The reader has checked the structure. Only the inside of strings can still be wrong.
  if (!parser.ParseJson(with_ids.c_str())) return Error{parser_message(parser.error_)};
  const std::uint8_t* const bytes = parser.builder_.GetBufferPointer();
  return std::vector<std::uint8_t>(bytes, bytes + parser.builder_.GetSize());
}

std::string with_line(std::string_view text, const std::string& message) {
  flatbuffers::Parser parser;
  read_schema(parser);
  std::string path = path_of(message);
  const std::string bodies = "bodies[";
  if (message.starts_with("body ") && path.starts_with(bodies)) {
    SceneReader reader(text);
    reader.read(*parser.root_struct_def_);
    std::uint32_t id = 0;
    std::from_chars(path.data() + bodies.size(), path.data() + path.size(), id);
    path = bodies + std::to_string(reader.place_of_body(id)) + path.substr(path.find(']'));
  }
  SceneReader reader(text, path);
  reader.read(*parser.root_struct_def_);
  const std::optional<int> line = reader.line_of_path();
  return line ? "line " + std::to_string(*line) + ": " + message : message;
}

}  // namespace orrery::host
