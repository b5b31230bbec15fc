// Looks up the functions of Godot, and calls methods of Godot objects.
#include "godot.h"

struct godot_functions godot;

static const char* const names[] = {"string_name_new_with_latin1_chars",
                                    "string_new_with_utf8_chars",
                                    "string_to_utf8_chars",
                                    "variant_get_ptr_destructor",
                                    "get_variant_from_type_constructor",
                                    "get_variant_to_type_constructor",
                                    "variant_call",
                                    "variant_destroy",
                                    "classdb_construct_object",
                                    "object_set_instance",
                                    "classdb_register_extension_class3",
                                    "classdb_register_extension_class_method",
                                    "classdb_unregister_extension_class",
                                    "print_error"};
enum { kFunctions = sizeof names / sizeof names[0] };

int godot_load(godot_get get) {
  union {
    void (*each[kFunctions])(void);
    struct godot_functions all;
  } functions;
  for (int i = 0; i < kFunctions; ++i) {
    functions.each[i] = get(names[i]);
    if (!functions.each[i]) return 0;
  }
  godot = functions.all;
  return 1;
}

godot_variant godot_call(godot_variant* self, const char* method, int32_t type, void* value) {
  godot_variant argument, result;
  const godot_variant* const arguments[] = {&argument};
  godot_string name;
  godot_call_error error;
  godot.string_name_new_with_latin1_chars(&name, method, 0);
  godot.get_variant_from_type_constructor(type)(&argument, value);
  godot.variant_call(self, &name, arguments, 1, &result, &error);
  godot.variant_destroy(&argument);
  godot.variant_get_ptr_destructor(GODOT_STRING_NAME)(&name);
  return result;
}

godot_variant godot_call_text(godot_variant* self, const char* method, const char* text) {
  godot_string string;
  godot.string_new_with_utf8_chars(&string, text);
  const godot_variant result = godot_call(self, method, GODOT_STRING, &string);
  godot.variant_get_ptr_destructor(GODOT_STRING)(&string);
  return result;
}

void godot_text(godot_variant* variant, char* text, int64_t text_size) {
  godot_string string;
  godot.get_variant_to_type_constructor(GODOT_STRING)(&string, variant);
  const int64_t length = godot.string_to_utf8_chars(&string, text, text_size - 1);
  text[length < text_size ? length : text_size - 1] = 0;
  godot.variant_get_ptr_destructor(GODOT_STRING)(&string);
}
