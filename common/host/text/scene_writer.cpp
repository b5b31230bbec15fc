// Writes scenes as the JSON that people read and edit (schema/scenes.md).
#include "common/host/text/scene_writer.h"

#include <flatbuffers/idl.h>

#include <map>
#include <string_view>

#include "common/codec/scene_codec.h"
#include "common/core/assert.h"
#include "common/host/text/json.h"
#include "host/scene_schema.h"

namespace orrery::host {
namespace {

using flatbuffers::FieldDef;
using flatbuffers::ReadScalar;
using flatbuffers::StructDef;
using flatbuffers::Table;
using flatbuffers::Type;
using flatbuffers::uoffset_t;

// Returns the address to which the offset at `place` points.
const std::uint8_t* target_of(const std::uint8_t* place) {
  return place + ReadScalar<uoffset_t>(place);
}

// A writer of scenes as JSON. It reads the binary form (FlatBuffers) of a scene. The schema gives
// it the names and types of the fields.
class SceneWriter {
 public:
  explicit SceneWriter(const Scene& scene) : scene_(scene) {
    for (const std::string& name : scene.names) ++name_counts_[name];
  }

  // Returns the whole text: short members first, then the lists, with each item on its own line.
  std::string text(const StructDef& type, const std::uint8_t* scene) {
    for (const bool lists : {false, true}) {
      for (const FieldDef* const field : type.fields.vec) {
        const bool list = field->value.type.base_type == flatbuffers::BASE_TYPE_VECTOR;
        if (list == lists) write_member(*field, scene, "\n  ");
      }
    }
    return out_ + "\n}\n";
  }

 private:
  void write(const json::Text& value) { out_ += value.text; }

  // Begins an item of a list or an object. Writes a comma before each item but the first, and then
  // `line_break`, which may be empty.
  void begin_item(char bracket, std::string_view line_break) {
    if (out_.back() != bracket) out_ += line_break.empty() ? ", " : ",";
    out_ += line_break;
  }

  // Writes a field if the table has it, and it is no empty string or list. References to bodies are
  // always written, even if they have the default value, unless they may be absent.
  void write_member(const FieldDef& field, const std::uint8_t* table, std::string_view line_break) {
    const std::uint8_t* const value =
        reinterpret_cast<const Table*>(table)->GetAddressOf(field.value.offset);
    const Type& type = field.value.type;
    const bool body = field.attributes.Lookup("body") != nullptr;
    const bool required = body && !field.IsScalarOptional();
    if (!required && (!value || is_empty(type, value))) return;
    begin_item('{', line_break);
    out_ += '"' + field.name + "\": ";
    if (body) {
      write_body(value ? ReadScalar<std::uint32_t>(value) : 0);
    } else if (type.base_type == flatbuffers::BASE_TYPE_VECTOR) {
      write_list(type.VectorType(), target_of(value), line_break);
    } else {
      write_value(type, value);
    }
  }

  // Returns true for an empty string or list.
  static bool is_empty(const Type& type, const std::uint8_t* value) {
    const bool list = type.base_type == flatbuffers::BASE_TYPE_STRING ||
                      type.base_type == flatbuffers::BASE_TYPE_VECTOR;
    return list && ReadScalar<uoffset_t>(target_of(value)) == 0;
  }

  // Writes the name of a body if no other body has the same name, otherwise its id.
  void write_body(std::uint32_t id) {
    const std::string name = scene_.names.empty() ? "" : scene_.names[id];
    const bool named = !name.empty() && name_counts_[name] == 1;
    write(named ? json::of(name) : json::of(id));
  }

  // Writes a list: each item on its own line, or all items on one line if `line_break` is empty.
  void write_list(const Type& item, const std::uint8_t* list, std::string_view line_break) {
    const uoffset_t count = ReadScalar<uoffset_t>(list);
    const std::uint8_t* at = list + sizeof(uoffset_t);
    out_ += '[';
    for (uoffset_t i = 0; i < count; ++i, at += flatbuffers::InlineSize(item)) {
      begin_item('[', line_break.empty() ? "" : "\n    ");
      write_value(item, at);
    }
    out_.append(line_break) += ']';
  }

  void write_value(const Type& type, const std::uint8_t* at) {
    if (type.enum_def) {
      out_ += '"' + type.enum_def->ReverseLookup(*at)->name + '"';
      return;
    }
    switch (type.base_type) {
      case flatbuffers::BASE_TYPE_STRUCT:
        return type.struct_def->fixed ? write_numbers(*type.struct_def, at)
                                      : write_table(*type.struct_def, target_of(at));
      case flatbuffers::BASE_TYPE_STRING:
        write(json::of(reinterpret_cast<const flatbuffers::String*>(target_of(at))->string_view()));
        return;
      case flatbuffers::BASE_TYPE_BOOL:
        write(json::of(*at != 0));
        return;
      case flatbuffers::BASE_TYPE_INT:
        write(json::of(ReadScalar<std::int32_t>(at)));
        return;
      case flatbuffers::BASE_TYPE_UINT:
        write(json::of(ReadScalar<std::uint32_t>(at)));
        return;
      case flatbuffers::BASE_TYPE_ULONG:
        write(json::of(ReadScalar<std::uint64_t>(at)));
        return;
      default:
        ORRERY_ASSERT(type.base_type == flatbuffers::BASE_TYPE_DOUBLE);
        write(json::of(ReadScalar<double>(at)));
    }
  }

  // Writes the numbers of a struct as a list, such as [x, y, z].
  void write_numbers(const StructDef& type, const std::uint8_t* at) {
    out_ += '[';
    for (const FieldDef* const field : type.fields.vec) {
      begin_item('[', "");
      write(json::of(ReadScalar<double>(at + field->value.offset)));
    }
    out_ += ']';
  }

  void write_table(const StructDef& type, const std::uint8_t* table) {
    out_ += '{';
    for (const FieldDef* const field : type.fields.vec) write_member(*field, table, "");
    out_ += '}';
  }

  const Scene& scene_;
  std::map<std::string, std::size_t> name_counts_;  // number of bodies with each name
  std::string out_ = "{";
};

}  // namespace

std::string json_of_scene(const Scene& scene) {
  flatbuffers::Parser parser;
  const bool sound = parser.Parse(kSceneSchema);
  const Result<physics::ShapeSet> shapes = make_shapes(scene);
  ORRERY_ASSERT(sound && shapes.ok());
  std::vector<std::uint8_t> bytes;
  codec::encode_scene(scene, bytes, &shapes.value());
  return SceneWriter(scene).text(*parser.root_struct_def_, target_of(bytes.data()));
}

}  // namespace orrery::host
