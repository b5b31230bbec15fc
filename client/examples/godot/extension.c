// Registers the class OrreryClient: a Node with _process() and push(body: int, impulse: Vector3).
#include "orrery_client.h"

static void* library;
static godot_string class_name, parent_name, process_name, push_name, none;

static godot_object create(void* userdata) {
  (void)userdata;
  const godot_object object = godot.classdb_construct_object(&parent_name);
  godot.object_set_instance(object, &class_name, node_create(object));
  return object;
}

static void destroy(void* userdata, void* instance) {
  (void)userdata;
  node_destroy(instance);
}

static void process(void* instance, const void* const* arguments, void* result) {
  (void)arguments, (void)result;
  node_process(instance);
}

static godot_virtual get_virtual(void* userdata, const godot_string* name) {
  (void)userdata;
  return name->data == process_name.data ? process : NULL;  // equal names share their data
}

static void push_by_pointers(void* userdata, void* instance, const void* const* arguments,
                             void* result) {
  (void)userdata, (void)result;
  node_push(instance, *(const int64_t*)arguments[0], arguments[1]);
}

static void push(void* userdata, void* instance, godot_variant* const* arguments, int64_t count,
                 godot_variant* result, godot_call_error* error) {
  int64_t body;
  float impulse[3];
  (void)userdata, (void)result;
  if (count != 2) {
    error->error = count < 2 ? GODOT_TOO_FEW_ARGUMENTS : GODOT_TOO_MANY_ARGUMENTS;
    error->expected = 2;
    return;
  }
  godot.get_variant_to_type_constructor(GODOT_INT)(&body, arguments[0]);
  godot.get_variant_to_type_constructor(GODOT_VECTOR3)(impulse, arguments[1]);
  node_push(instance, body, impulse);
}

static void register_push(void) {
  godot_string empty, body, impulse;
  godot.string_new_with_utf8_chars(&empty, "");
  godot.string_name_new_with_latin1_chars(&body, "body", 1);
  godot.string_name_new_with_latin1_chars(&impulse, "impulse", 1);
  godot_property arguments[] = {{GODOT_INT, &body, &none, 0, &empty, 6},
                                {GODOT_VECTOR3, &impulse, &none, 0, &empty, 6}};
  int32_t metadata[] = {0, 0};
  const godot_method method = {.name = &push_name,
                               .call = push,
                               .call_by_pointers = push_by_pointers,
                               .flags = 1,
                               .arguments_count = 2,
                               .arguments = arguments,
                               .arguments_metadata = metadata};
  godot.classdb_register_extension_class_method(library, &class_name, &method);
  godot.variant_get_ptr_destructor(GODOT_STRING)(&empty);
}

static void initialize(void* userdata, int32_t level) {
  (void)userdata;
  if (level != GODOT_LEVEL_SCENE) return;
  godot.string_name_new_with_latin1_chars(&class_name, "OrreryClient", 1);
  godot.string_name_new_with_latin1_chars(&parent_name, "Node", 1);
  godot.string_name_new_with_latin1_chars(&process_name, "_process", 1);
  godot.string_name_new_with_latin1_chars(&push_name, "push", 1);
  godot.string_name_new_with_latin1_chars(&none, "", 1);
  const godot_class info = {.is_exposed = 1,
                            .is_runtime = 1,  // the editor does not run it
                            .create = create,
                            .free = destroy,
                            .get_virtual = get_virtual};
  godot.classdb_register_extension_class3(library, &class_name, &parent_name, &info);
  register_push();
}

static void deinitialize(void* userdata, int32_t level) {
  (void)userdata;
  if (level == GODOT_LEVEL_SCENE) godot.classdb_unregister_extension_class(library, &class_name);
}

// The entry symbol of orrery.gdextension.
__attribute__((visibility("default"))) uint8_t orrery_godot_init(godot_get get, void* extension,
                                                                 godot_initialization* settings) {
  library = extension;
  *settings = (godot_initialization){GODOT_LEVEL_SCENE, NULL, initialize, deinitialize};
  return (uint8_t)godot_load(get);
}
