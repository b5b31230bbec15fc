// The part of Godot's GDExtension interface that orrery_client.c uses. It is stable from 4.3 on.
#ifndef GODOT_H
#define GODOT_H

#include <stddef.h>
#include <stdint.h>

// Types of values. A Vector3 is 3 floats, and a Quaternion is 4: x, y, z, w.
enum { GODOT_INT = 2, GODOT_STRING = 4, GODOT_VECTOR3 = 9, GODOT_QUATERNION = 15 };
enum { GODOT_STRING_NAME = 21, GODOT_OBJECT = 24 };
enum { GODOT_LEVEL_SCENE = 2, GODOT_TOO_MANY_ARGUMENTS = 3, GODOT_TOO_FEW_ARGUMENTS = 4 };

typedef void* godot_object;
typedef struct godot_string {  // also a StringName
  void* data;
} godot_string;
typedef struct godot_variant {
  uint64_t words[3];
} godot_variant;
typedef struct godot_call_error {
  int32_t error, argument, expected;
} godot_call_error;
// Converts a value to a variant, or a variant to a value.
typedef void (*godot_converter)(void* to, void* from);
typedef void (*godot_virtual)(void* instance, const void* const* arguments, void* result);

typedef struct godot_class {
  uint8_t is_virtual, is_abstract, is_exposed, is_runtime;
  void* unused[11];
  godot_object (*create)(void* userdata);
  void (*free)(void* userdata, void* instance);
  void* recreate;
  godot_virtual (*get_virtual)(void* userdata, const godot_string* name);
  void* unused_too[4];
} godot_class;

typedef struct godot_property {
  int32_t type;
  godot_string *name, *class_name;
  uint32_t hint;
  godot_string* hint_text;
  uint32_t usage;
} godot_property;
typedef struct godot_method {
  godot_string* name;
  void* userdata;
  void (*call)(void* userdata, void* instance, godot_variant* const* arguments, int64_t count,
               godot_variant* result, godot_call_error* error);
  void (*call_by_pointers)(void* userdata, void* instance, const void* const* arguments, void*);
  uint32_t flags;
  uint8_t has_result;
  godot_property* result;
  int32_t result_metadata;
  uint32_t arguments_count;
  godot_property* arguments;
  int32_t* arguments_metadata;
  uint32_t defaults_count;
  godot_variant** defaults;
} godot_method;

typedef struct godot_initialization {
  int32_t minimum_level;
  void* userdata;
  void (*initialize)(void* userdata, int32_t level);
  void (*deinitialize)(void* userdata, int32_t level);
} godot_initialization;
typedef void (*(*godot_get)(const char* name))(void);

// The functions of Godot's interface. Each has its name in that interface. The order is that of
// `names` in godot.c.
extern struct godot_functions {
  void (*string_name_new_with_latin1_chars)(godot_string* name, const char* text,
                                            uint8_t is_static);
  void (*string_new_with_utf8_chars)(godot_string* string, const char* text);
  int64_t (*string_to_utf8_chars)(const godot_string* string, char* text, int64_t text_size);
  void (*(*variant_get_ptr_destructor)(int32_t type))(void* value);
  godot_converter (*get_variant_from_type_constructor)(int32_t type);
  godot_converter (*get_variant_to_type_constructor)(int32_t type);
  void (*variant_call)(godot_variant* self, const godot_string* method,
                       const godot_variant* const* arguments, int64_t count, godot_variant* result,
                       godot_call_error* error);
  void (*variant_destroy)(godot_variant* variant);
  godot_object (*classdb_construct_object)(const godot_string* class_name);
  void (*object_set_instance)(godot_object object, const godot_string* class_name, void* instance);
  void (*classdb_register_extension_class3)(void* library, const godot_string* name,
                                            const godot_string* parent, const godot_class* info);
  void (*classdb_register_extension_class_method)(void* library, const godot_string* class_name,
                                                  const godot_method* info);
  void (*classdb_unregister_extension_class)(void* library, const godot_string* name);
  void (*print_error)(const char* text, const char* function, const char* file, int32_t line,
                      uint8_t notify_editor);
} godot;

// Looks up all functions of Godot's interface. Returns 0 if this Godot is too old.
int godot_load(godot_get get);
// Calls a method with one argument. Destroy the result with godot.variant_destroy().
godot_variant godot_call(godot_variant* self, const char* method, int32_t type, void* value);
godot_variant godot_call_text(godot_variant* self, const char* method, const char* text);
// Writes the text of a variant that is a String.
void godot_text(godot_variant* variant, char* text, int64_t text_size);

#endif
