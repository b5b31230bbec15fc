// Plays the part of Godot for client/examples/godot: runs a node with two children.
//
//   godot_test LIBRARY ADDR:PORT
//
// As in Godot, equal names share their data. A variant has its value in its last two words.
#define _POSIX_C_SOURCE 200809L
#include "godot.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A child node, named like the id of its body.
typedef struct child {
  char* name;
  float position[3], orientation[4];
} child;

static child children[] = {{.name = "37"}, {.name = "43"}};
static char root;  // its address is the node
static char* server;
static void* instance;
static godot_class node_class;
static godot_method push;
static int living;  // strings and variants that are not destroyed

static void* shared(const char* text) {
  static char* texts[256];
  int i = 0;
  while (texts[i] && strcmp(texts[i], text) != 0) ++i;
  if (!texts[i]) texts[i] = strdup(text);
  return texts[i];
}

static void new_name(godot_string* name, const char* text, uint8_t is_static) {
  name->data = shared(text);
  living += !is_static;
}

static void new_string(godot_string* string, const char* text) { new_name(string, text, 0); }

static int64_t to_utf8(const godot_string* string, char* text, int64_t text_size) {
  const int64_t length = (int64_t)strlen(string->data);
  memcpy(text, string->data, (size_t)(length < text_size ? length : text_size));  // without a zero
  return length;
}

static void destroy(void* value) {
  (void)value;
  --living;
}

static void destroy_variant(godot_variant* variant) { destroy(variant); }

static void (*destructor_of(int32_t type))(void* value) {
  (void)type;
  return destroy;
}

static void store(void* variant, const void* value, size_t size) {
  memset(variant, 0, sizeof(godot_variant));
  memcpy(&((godot_variant*)variant)->words[1], value, size);
  ++living;
}

static void load(void* value, const void* variant, size_t size) {
  memcpy(value, &((const godot_variant*)variant)->words[1], size);
}

static void store_word(void* to, void* from) { store(to, from, 8); }
static void store_vector(void* to, void* from) { store(to, from, 12); }
static void store_quaternion(void* to, void* from) { store(to, from, 16); }
static void load_word(void* to, void* from) { load(to, from, 8); }
static void load_vector(void* to, void* from) { load(to, from, 12); }
static void load_string(void* to, void* from) {
  load(to, from, 8);
  ++living;
}

static godot_converter storing(int32_t type) {
  if (type == GODOT_VECTOR3) return store_vector;
  return type == GODOT_QUATERNION ? store_quaternion : store_word;
}

static godot_converter loading(int32_t type) {
  if (type == GODOT_VECTOR3) return load_vector;
  return type == GODOT_STRING ? load_string : load_word;
}

// Calls a method of the node or of a child with one argument.
static void call(godot_variant* self, const godot_string* method,
                 const godot_variant* const* arguments, int64_t count, godot_variant* result,
                 godot_call_error* error) {
  void *object, *found = NULL;
  godot_string text;
  load(&object, self, 8);
  load(&text, arguments[0], 8);
  if (object == &root && strcmp(method->data, "get_meta") == 0) found = shared(server);
  for (child* each = children; each < children + 2; ++each) {
    const int is_wanted = object == &root && strcmp(method->data, "get_node_or_null") == 0;
    if (is_wanted && strcmp(text.data, each->name) == 0) found = each;
    if (object != each) continue;
    if (strcmp(method->data, "set_position") == 0) load(each->position, arguments[0], 12);
    if (strcmp(method->data, "set_quaternion") == 0) load(each->orientation, arguments[0], 16);
  }
  store(result, &found, 8);
  *error = (godot_call_error){count == 1 ? 0 : GODOT_TOO_MANY_ARGUMENTS, 0, 0};
}

static godot_object construct(const godot_string* name) {
  return strcmp(name->data, "Node") == 0 ? &root : NULL;
}

static void set_instance(godot_object object, const godot_string* name, void* state) {
  if (object == &root && strcmp(name->data, "OrreryClient") == 0) instance = state;
}

static void register_class(void* library, const godot_string* name, const godot_string* parent,
                           const godot_class* info) {
  (void)library, (void)name, (void)parent;
  node_class = *info;
}

static void register_method(void* library, const godot_string* name, const godot_method* info) {
  (void)library, (void)name;
  push = *info;
}

static void unregister_class(void* library, const godot_string* name) {
  (void)library, (void)name;
  node_class.create = NULL;
}

static void fail(const char* text, const char* function, const char* file, int32_t line,
                 uint8_t notify_editor) {
  (void)notify_editor;
  fprintf(stderr, "%s:%d: %s: %s\n", file, line, function, text);
  exit(1);
}

typedef void (*function)(void);

static function get(const char* name) {
  static const struct {
    const char* name;
    function function;
  } all[] = {{"string_name_new_with_latin1_chars", (function)new_name},
             {"string_new_with_utf8_chars", (function)new_string},
             {"string_to_utf8_chars", (function)to_utf8},
             {"variant_get_ptr_destructor", (function)destructor_of},
             {"get_variant_from_type_constructor", (function)storing},
             {"get_variant_to_type_constructor", (function)loading},
             {"variant_call", (function)call},
             {"variant_destroy", (function)destroy_variant},
             {"classdb_construct_object", (function)construct},
             {"object_set_instance", (function)set_instance},
             {"classdb_register_extension_class3", (function)register_class},
             {"classdb_register_extension_class_method", (function)register_method},
             {"classdb_unregister_extension_class", (function)unregister_class},
             {"print_error", (function)fail}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    if (strcmp(all[i].name, name) == 0) return all[i].function;
  }
  return NULL;
}

// Runs a frame of the engine.
static void process(godot_virtual virtual_process) {
  const double delta = 1 / 60.0;
  const void* const arguments[] = {&delta};
  nanosleep(&(struct timespec){0, 1000000000 / 60}, NULL);
  virtual_process(instance, arguments, NULL);
}

// Pushes the log upwards, as a script does.
static void push_log(void) {
  int64_t body = 37;
  float impulse[] = {0, 30, 0};
  godot_variant variants[2];
  godot_variant* const arguments[] = {&variants[0], &variants[1]};
  godot_call_error error = {0, 0, 0};
  store(&variants[0], &body, sizeof body);
  store(&variants[1], impulse, sizeof impulse);
  push.call(push.userdata, instance, arguments, 1, NULL, &error);
  if (error.error != GODOT_TOO_FEW_ARGUMENTS) fail("one argument is enough", "", "", 0, 0);
  push.call(push.userdata, instance, arguments, 2, NULL, &error);
  living -= 2;
}

static godot_initialization start(const char* path) {
  godot_initialization extension;
  uint8_t (*entry)(godot_get, void*, godot_initialization*) = NULL;
  void* const library = dlopen(path, RTLD_NOW);
  if (!library) fail(dlerror(), "", "", 0, 0);
  *(void**)&entry = dlsym(library, "orrery_godot_init");
  if (!entry || !entry(get, library, &extension)) fail("it does not start", "", "", 0, 0);
  for (int32_t level = 0; level <= 3; ++level) extension.initialize(extension.userdata, level);
  return extension;
}

int main(int argc, char** argv) {
  const godot_string process_name = {shared("_process")};
  const child *const log = &children[0], *const wall = &children[1];
  if (argc != 3) return 2;
  server = argv[2];
  const godot_initialization extension = start(argv[1]);
  node_class.create(NULL);
  const godot_virtual virtual_process = node_class.get_virtual(NULL, &process_name);
  while (log->orientation[3] == 0) process(virtual_process);
  const float height = log->position[1];
  push_log();
  while (log->position[1] < height + 1) process(virtual_process);
  printf("log at %.3f, %.3f, %.3f; wall at %.3f, %.3f, %.3f\n", log->position[0], log->position[1],
         log->position[2], wall->position[0], wall->position[1], wall->position[2]);
  node_class.free(NULL, instance);
  for (int32_t level = 3; level >= 0; --level) extension.deinitialize(extension.userdata, level);
  if (node_class.create) fail("the class stays", "", "", 0, 0);
  if (living != 0) fail("values were not destroyed", "", "", living, 0);
  return 0;
}
