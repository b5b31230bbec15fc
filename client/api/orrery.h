// The C interface of Orrery: clients of a server, worlds that you step yourself, and session logs.
//
// client/BINDING.md says how to use it from an engine or another language. The rules for every
// function:
// - It returns ORRERY_OK, ORRERY_END, ORRERY_MORE, or an error, which is negative. The destroy
//   functions return nothing. After an error of a valid handle, orrery_last_error() says why, in
//   one sentence. After an error nothing has changed, except as stated.
// - The first field of a struct is its size in bytes. Set it before every call, and set fields that
//   you do not use to 0. A library refuses structs that are too small for it. It accepts larger
//   ones of later headers, if you set no later field. Use it with the headers of its minor version:
//   liborrery.so.0.2 goes with the headers of versions 0.2.x.
// - Use a handle in one thread at a time. Different handles may be used at the same time, but the
//   world of a log or client counts as the same handle. The library starts no threads and calls
//   nothing back.
// - Memory that you pass is read or written during the call only. Handles are freed by their
//   destroy function.
// - Text is UTF-8 and ends with a zero byte. Text that does not fit into your buffer is cut.
// - Lengths, masses and times are in the units of the scene, in SI for built-in scenes except
//   `solar`. orrery_set_space() changes axes, length unit and origin.
#ifndef ORRERY_H
#define ORRERY_H

#include <stdint.h>

// Define ORRERY_STATIC if you link the static library.
#if defined(_WIN32) && !defined(ORRERY_STATIC)
#ifdef ORRERY_BUILD
#define ORRERY_API __declspec(dllexport)
#else
#define ORRERY_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define ORRERY_API __attribute__((visibility("default")))
#else
#define ORRERY_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// A world: a scene and its state. Make it with orrery_world_from_..., and free it with
// orrery_world_destroy().
typedef struct orrery_world orrery_world;

// A session log that is open for reading. Free it with orrery_log_destroy().
typedef struct orrery_log orrery_log;

// A client of a server. Make it with orrery_client_open() or orrery_client_create(), and free it
// with orrery_client_destroy().
typedef struct orrery_client orrery_client;

// --- general ---

// The result of a function.
enum {
  ORRERY_OK = 0,
  ORRERY_END = 1,            // no more records, datagrams or events, or nothing left to verify
  ORRERY_MORE = 2,           // the work is not done yet: call again
  ORRERY_BAD_HANDLE = -1,    // a handle is null or of another type
  ORRERY_BAD_ARGUMENT = -2,  // an argument is null, out of range, not finite, or not allowed here
  ORRERY_WRONG_SIZE = -3,    // the size of a struct, or a stride, is too small or unknown
  ORRERY_SHORT_BUFFER = -4,  // your buffer has too little room
  ORRERY_NOT_FOUND = -5,     // no such body, part or tick
  ORRERY_BAD_SCENE = -6,     // the scene is invalid
  ORRERY_BAD_COMMAND = -7,   // a command is invalid or in the wrong order
  ORRERY_BAD_IMAGE = -8,     // the image is damaged or of another scene
  ORRERY_BAD_LOG = -9,       // the log is damaged or cannot be read
  ORRERY_OTHER_RULES = -10,  // the log needs a build with other rules
  ORRERY_DIVERGED = -11,     // the replay differs from the log
  ORRERY_READ_ONLY = -12,    // the world of a log or client cannot be changed
  ORRERY_FLOAT_MODE = -13,   // this thread rounds or flushes numbers in another way
  ORRERY_NO_MEMORY = -14,    // memory ran out. The handle can only be destroyed
  ORRERY_BROKEN = -15,       // an earlier call ran out of memory. Destroy the handle
  ORRERY_BAD_ADDRESS = -16,  // no address such as 127.0.0.1:4770, or no socket for it
  ORRERY_BAD_TOKEN = -17,    // the token or key is unusable, or none was asked for
  ORRERY_NOT_READY = -18,    // the client is not connected, or what you ask for has not arrived
  ORRERY_BUSY = -19,         // too many commands wait, or the process has a server
  ORRERY_WRONG_THREAD = -20  // the handle belongs to another thread (orrery_server.h)
};

// The version numbers of the library.
typedef struct orrery_versions {
  uint32_t size;
  uint32_t major;
  uint32_t minor;
  uint32_t patch;
  uint32_t rules;       // how worlds step. Equal rules give equal states, bit for bit
  uint32_t protocol;    // of connections
  uint32_t log_format;  // the newest that this library reads
  uint32_t reserved;
} orrery_versions;

// Gets the version numbers. Compare them before you use images or logs of another build.
ORRERY_API int32_t orrery_version(orrery_versions* versions);

// Writes the meaning of a result into `text`, which has room for `text_size` bytes.
ORRERY_API int32_t orrery_code_text(int32_t code, char* text, uint32_t text_size);

// Writes why the last call that failed with this handle did so. The text is empty if none failed.
ORRERY_API int32_t orrery_last_error(const void* handle, char* text, uint32_t text_size);

// The axes of an engine. Orrery's own are y up, right-handed.
enum {
  ORRERY_Y_UP_RIGHT = 0,  // Orrery, Godot, three.js
  ORRERY_Y_UP_LEFT = 1,   // Unity: z is negated
  ORRERY_Z_UP_LEFT = 2,   // Unreal: y and z are exchanged
  ORRERY_Z_UP_RIGHT = 3   // ROS, Blender: y becomes z, and z becomes -y
};

// The space in which you give and get vectors.
typedef struct orrery_space {
  uint32_t size;
  uint32_t axes;     // ORRERY_Y_UP_RIGHT, ...
  double units;      // your lengths for each length of the scene: 100 for centimetres. 0 means 1
  double origin[3];  // the point of the scene that is your origin, in scene axes and units
} orrery_space;

// Sets the space of a handle. It holds for all vectors in both directions: positions, velocities,
// forces, commands, rays, shapes. Positions are relative to the origin, which is subtracted in
// binary64. Move the origin with the camera to keep float positions exact in a large world.
ORRERY_API int32_t orrery_set_space(void* handle, const orrery_space* space);

// --- world ---

// Each makes a world in its initial state. If a call fails, `*world` is null and `why` has the
// reason. If it succeeds, `why` is empty, or has a warning about the text of a scene: a shape that
// no body has. `why` may be null.
// - name: a built-in scene, such as "playground" or "boxes:100".
// - json: the text of a scene file (schema/scenes.md).
// - bytes: the binary form of a scene (schema/scene.fbs), as logs contain it.
ORRERY_API int32_t orrery_world_from_name(const char* name, orrery_world** world, char* why,
                                          uint32_t why_size);
ORRERY_API int32_t orrery_world_from_json(const char* json, uint64_t json_size,
                                          orrery_world** world, char* why, uint32_t why_size);
ORRERY_API int32_t orrery_world_from_bytes(const void* bytes, uint64_t bytes_size,
                                           orrery_world** world, char* why, uint32_t why_size);

// Frees a world. Ignores null, and the world of a log or client.
ORRERY_API void orrery_world_destroy(orrery_world* world);

// Writes the binary form of the scene of a world, for orrery_world_from_bytes(), and sets `*size`
// to its number of bytes. With a buffer that is null or too small, returns ORRERY_SHORT_BUFFER and
// sets only `*size`. The world may be that of orrery_client_scene().
ORRERY_API int32_t orrery_world_scene(orrery_world* world, void* bytes, uint64_t capacity,
                                      uint64_t* size);

// The kinds of commands, with the meaning of the fields of orrery_command.
enum {
  ORRERY_THRUST = 0,   // subject: body. first: force on its centre of mass, until changed
  ORRERY_TORQUE = 1,   // subject: body. first: torque, until changed
  ORRERY_IMPULSE = 2,  // subject: body. first: change of momentum
  ORRERY_GRAB = 3,     // subject: body. first: point in body axes. second: target
  ORRERY_MOVE = 4,     // first: new target of the client's grab
  ORRERY_RELEASE = 5,  // ends the client's grab
  // subject: body of the scene to copy. first: position. second: velocity. orientation, third:
  // orientation and angular velocity; all 0 for those of that body
  ORRERY_SPAWN = 6,
  ORRERY_REMOVE = 7,         // subject: body
  ORRERY_SET_PARAMETER = 8,  // subject: ORRERY_GRAVITY, ... first: its value. Needs the role admin
  // subject: client. role: its role. account, bytes: account and user data of its token. Only
  // client 0 may give it
  ORRERY_JOIN = 9,
  ORRERY_LEAVE = 10,        // subject: client. Only client 0 may give it
  ORRERY_SET_CONTROL = 11,  // subject: body. control, account: who may command it. Needs admin
  ORRERY_DISOWN = 12,       // account: its spawned bodies lose their owner. Only client 0
  // Only an admin or client 0 may give these. Poses are of the coordinates of the shape, as in
  // scenes.
  ORRERY_SET_VELOCITY = 13,  // subject: kinematic body. first: velocity. second: angular velocity
  ORRERY_MOVE_TO = 14,    // subject: kinematic body. first, orientation: pose after `ticks` ticks
  ORRERY_PLACE = 15,      // subject: body. first, orientation: pose. second, third: velocities
  ORRERY_SET_MOTOR = 16,  // subject: joint. first: speed, largest force; in units of the scene
  // subject: joint. first: position, frequency, damping ratio; second: largest force, 0 for any; in
  // units of the scene
  ORRERY_SET_TARGET = 17,
  ORRERY_SET_VALUE = 18,   // key, bytes: a value of the session. No bytes end it. Needs admin
  ORRERY_MESSAGE = 19,     // bytes: to the rules of the session
  ORRERY_TELL = 20,        // subject: client, or 0 for all. bytes: for that client. Needs admin
  ORRERY_SET_FILTER = 21,  // subject: body. category, mask: of all its parts. Needs admin
  ORRERY_SET_GRAVITY_SCALE = 22,  // subject: body. first: factor of gravity on it. Needs admin
  ORRERY_KICK = 23,  // subject: client. bytes: at most 128, the reason that it shows. Needs admin
  ORRERY_BAN = 24    // likewise; the account of the client cannot join the session again
};

// The parameters of a world.
enum {
  ORRERY_GRAVITY = 0,    // a uniform acceleration
  ORRERY_ATTRACTION = 1  // the gravitational constant, in the first number
};

// The roles of a client.
enum {
  ORRERY_WATCH = 0,  // gives no commands
  ORRERY_PLAY = 1,   // commands the bodies that the scene lets it command
  ORRERY_ADMIN = 2   // commands all rigid and point bodies, removes any body, sets parameters
};

// A command. A client must join before it can command: client 0, the server, lets it join.
typedef struct orrery_command {
  uint32_t size;
  int32_t kind;       // ORRERY_THRUST, ...
  uint32_t client;    // 0: the server. 1 to 1024: a client that has joined
  uint32_t sequence;  // orders the commands of a client in a tick
  uint32_t subject;   // a body, a body of the scene, a parameter or a client
  int32_t role;       // only for ORRERY_JOIN
  float first[3];
  float second[3];
  uint64_t account;  // of the client that joins, 0 if it has none; of the owner; that is away
  int32_t control;   // only for ORRERY_SET_CONTROL: ORRERY_NOBODY, ...
  uint32_t ticks;    // only for ORRERY_MOVE_TO: at least 1
  float third[3];
  float orientation[4];  // x, y, z, w
  uint16_t key_size;     // only for ORRERY_SET_VALUE: 1 to 64
  uint16_t bytes_size;   // of a value, message, notice, reason or user data: at most 256
  uint8_t key[64];
  uint8_t bytes[256];
  uint32_t category;  // only for ORRERY_SET_FILTER
  uint32_t mask;
} orrery_command;

// Advances the world by one tick with the commands, which ascend by client, then by sequence. A
// command that is not allowed, or changes nothing, is ignored. `applied` of orrery_world_info
// counts the commands that were not ignored. A command with a number that is not finite or out of
// range is an error.
ORRERY_API int32_t orrery_world_step(orrery_world* world, const orrery_command* commands,
                                     uint32_t commands_count);

// Advances many worlds by `ticks` ticks, one world after the other. World i takes the next
// counts[i] commands of the array into its first tick. Without commands, both arrays may be null.
// If an argument is wrong, no world is stepped, and `*failed` (unless null) is the index of the
// world with the wrong argument. A world must not be in the array twice.
ORRERY_API int32_t orrery_worlds_step(orrery_world* const* worlds, uint32_t worlds_count,
                                      const orrery_command* commands, const uint32_t* counts,
                                      uint32_t ticks, uint32_t* failed);

// Facts about a world and its last tick.
typedef struct orrery_world_info {
  uint32_t size;
  uint32_t bodies;        // bodies that exist now
  uint64_t tick;          // 0: the initial state
  uint64_t hash;          // of the state. Equal states have equal hashes on every machine
  double tick_time;       // simulated time of a tick
  uint32_t tick_rate;     // ticks per second of real time
  uint32_t scene_bodies;  // bodies that ORRERY_SPAWN can copy
  uint32_t applied;       // commands of the last tick that changed something
  uint32_t events;        // events of the last tick
  char scene[72];         // name of the scene
} orrery_world_info;

// Gets the facts.
ORRERY_API int32_t orrery_get_world_info(orrery_world* world, orrery_world_info* info);

// Writes the ids of all bodies, in the order in which orrery_world_read() writes them. `ids` has
// room for `capacity` numbers. A body keeps its id. Only ORRERY_SPAWN, ORRERY_REMOVE and restoring
// an image change which bodies exist.
ORRERY_API int32_t orrery_world_ids(orrery_world* world, uint32_t* ids, uint32_t capacity);

// The numbers that orrery_world_read() writes for each body, in this order. Combine them with |.
enum {
  ORRERY_POSITION = 1,          // 3 numbers: the centre of mass
  ORRERY_ORIENTATION = 2,       // 4 numbers: the unit quaternion x, y, z, w, body to world
  ORRERY_VELOCITY = 4,          // 3 numbers
  ORRERY_ANGULAR_VELOCITY = 8,  // 3 numbers: radians per time
  ORRERY_IDENTITY = 16,         // 2 uint32_t: the id, and the scene body that it is or copies
  ORRERY_DOUBLE = 256           // the numbers are binary64, otherwise binary32
};

// Writes the numbers of bodies into your array: row i begins `stride` bytes after row i - 1. If
// `ids` is null, writes all bodies, and `rows` has room for `capacity` of them. Otherwise `ids` has
// `capacity` ids, and only their bodies are written.
ORRERY_API int32_t orrery_world_read(orrery_world* world, const uint32_t* ids, uint32_t what,
                                     void* rows, uint32_t stride, uint32_t capacity);

// Reads all bodies of many worlds: the rows of world i begin at byte i * capacity * stride. The
// rows after the last body of a world stay unchanged. If an argument is wrong, `*failed` (unless
// null) is the index of that world. The worlds before it have been read.
ORRERY_API int32_t orrery_worlds_read(orrery_world* const* worlds, uint32_t worlds_count,
                                      uint32_t what, void* rows, uint32_t stride, uint32_t capacity,
                                      uint32_t* failed);

// The kinds of bodies.
enum {
  ORRERY_RIGID = 0,     // moves and turns
  ORRERY_POINT = 1,     // moves
  ORRERY_ANCHOR = 2,    // is fixed
  ORRERY_KINEMATIC = 3  // keeps its velocities: nothing pushes it
};

// The clients that may command a body, besides admins.
enum { ORRERY_NOBODY = 0, ORRERY_ANYONE = 1, ORRERY_OWNER = 2 };

// The color of a body for which the scene names none.
enum { ORRERY_NO_COLOR = -1 };

// The scene's description of a body.
typedef struct orrery_body {
  uint32_t size;
  int32_t kind;            // ORRERY_RIGID, ...
  int32_t control;         // ORRERY_NOBODY, ...
  uint32_t scene_body;     // the body of the scene that it copies
  uint32_t parts;          // parts of its shape. 0: it touches nothing
  int32_t color;           // 0xRRGGBB, or ORRERY_NO_COLOR if the scene names none
  uint64_t owner;          // account that owns it, or client without an account, or 0
  double mass;             // only of rigid bodies and points
  double half_extents[3];  // of a box to draw it, in body axes
  char name[72];           // name of the body of the scene, or empty
} orrery_body;

// Gets the description of a body.
ORRERY_API int32_t orrery_get_body(orrery_world* world, uint32_t id, orrery_body* body);

// The kinds of parts of a shape.
enum {
  ORRERY_SPHERE = 0,        // radius
  ORRERY_CAPSULE = 1,       // radius, half_length along its up axis
  ORRERY_BOX = 2,           // half_extents
  ORRERY_HULL = 3,          // vertices and triangles
  ORRERY_PLANE = 4,         // everything below the plane through its origin
  ORRERY_HEIGHT_FIELD = 5,  // vertices and triangles
  ORRERY_MESH = 6           // vertices and triangles
};

// A part of the shape of a body.
typedef struct orrery_part {
  uint32_t size;
  int32_t kind;        // ORRERY_SPHERE, ...
  uint32_t sensor;     // 1: reports contacts, but pushes nothing
  uint32_t vertices;   // of a hull, height field or mesh
  uint32_t triangles;  // likewise
  uint32_t reserved;
  double position[3];     // of the part in body axes
  double orientation[4];  // part to body: x, y, z, w
  double half_extents[3];
  double radius;
  double half_length;
} orrery_part;

// Gets a part of a body. `part` counts from 0.
ORRERY_API int32_t orrery_get_part(orrery_world* world, uint32_t id, uint32_t part,
                                   orrery_part* description);

// Writes the surface of a hull, height field or mesh, in the coordinates of the part: three numbers
// for each vertex, and three vertex indices for each triangle. With corners a, b and c, the vector
// cross(b - a, c - a) points outwards.
// orrery_part has their numbers; capacities count vertices and triangles.
ORRERY_API int32_t orrery_get_surface(orrery_world* world, uint32_t id, uint32_t part,
                                      double* vertices, uint32_t vertices_capacity,
                                      uint32_t* triangles, uint32_t triangles_capacity);

// The kinds of links between bodies.
enum {
  ORRERY_SPRING = 0,
  ORRERY_TETHER = 1,    // a spring to a point of the world, `at_b`
  ORRERY_DISTANCE = 2,  // a joint that holds two points at a distance
  ORRERY_BALL = 3,      // this joint and the next ones hold two points together
  ORRERY_HINGE = 4,
  ORRERY_SLIDER = 5,  // a joint that lets b slide along an axis of a
  ORRERY_WELD = 6
};

// A spring, tether or joint of the scene. It ends when one of its bodies is removed.
typedef struct orrery_link {
  uint32_t size;
  int32_t kind;    // ORRERY_SPRING, ...
  uint32_t a;      // ids of the bodies
  uint32_t b;      // 0 for ORRERY_TETHER
  double at_a[3];  // point of a, in body axes
  double at_b[3];  // point of b likewise. For ORRERY_TETHER, a position
} orrery_link;

// Gets a link. `index` counts from 0: springs, then tethers, then joints. Returns ORRERY_END if
// there are no more.
ORRERY_API int32_t orrery_get_link(orrery_world* world, uint32_t index, orrery_link* link);

// A key that the scene maps to a command, for programs in which people play.
typedef struct orrery_key {
  uint32_t size;
  uint32_t own_body;  // 1: `subject` of the commands is 0, and means the body that the player owns
  uint32_t releases;  // 1: there is a command for the release of the key
  char key[12];       // a character, or "space", "up", "down", "left", "right"
  char label[32];     // of a button
} orrery_key;

// Gets a key, and the commands to give when it is pressed and released: thrusts, torques, impulses,
// motors, targets and messages. `index` counts from 0. Returns ORRERY_END if there are no more.
// `first` of a thrust, torque or impulse is as the player sees it: x to the right, y up, z to the
// player. Turn it about the vertical axis. The forces of keys that are held together are added, and
// the speeds of a motor too.
ORRERY_API int32_t orrery_get_key(orrery_world* world, uint32_t index, orrery_key* key,
                                  orrery_command* pressed, orrery_command* released);

// Sums over the rigid bodies and points of a world.
typedef struct orrery_totals {
  uint32_t size;
  uint32_t in_si;  // 1: the scene is in SI. 0: it sets its own length of a tick
  double energy;   // kinetic, and potential of gravity, springs and tethers, but not of grabs
  double momentum[3];
  double angular_momentum[3];  // about the origin of the scene
} orrery_totals;

// Gets the sums.
ORRERY_API int32_t orrery_get_totals(orrery_world* world, orrery_totals* totals);

// The differences between the bodies of two worlds.
typedef struct orrery_difference {
  uint32_t size;
  uint32_t bodies;  // bodies that differ in a bit, or that only one world has
  double distance;  // largest distance between the positions of a body, in the space of world a
  double a;         // values of `field` in the units and axes of the scene
  double b;
  uint32_t body;   // body of the first number that differs
  char field[20];  // its name, such as "velocity.x". Empty: no body of both worlds differs
} orrery_difference;

// Compares positions, orientations, velocities and angular momenta, bit for bit.
ORRERY_API int32_t orrery_worlds_compare(orrery_world* a, orrery_world* b,
                                         orrery_difference* difference);

// Flips one bit of a number of a body, to see how a small error grows. `field` is
// "position.x", "velocity.x", "angular_momentum.x" (in body axes), likewise y and z, or
// "orientation.x" to "orientation.w". Bit 0 is the lowest of the mantissa, and bit 63 the sign.
// Returns ORRERY_BAD_IMAGE if no world can have the changed state.
ORRERY_API int32_t orrery_world_flip_bit(orrery_world* world, uint32_t id, const char* field,
                                         uint32_t bit);

// Writes the image of the world: the exact bytes of its state. `*size` is set to their number. With
// a buffer that is null or too small, returns ORRERY_SHORT_BUFFER and sets only `*size`.
ORRERY_API int32_t orrery_world_save(orrery_world* world, void* bytes, uint64_t capacity,
                                     uint64_t* size);

// Replaces the state by an image of a world of the same scene. Later ticks give the same bits as in
// the world that was saved. Use it to reset, to try something out, and to roll back.
ORRERY_API int32_t orrery_world_restore(orrery_world* world, const void* bytes, uint64_t size);

// Writes the commands of the last tick that changed something. `commands` has room for `capacity`
// commands, each with its size. `applied` of orrery_world_info is their number.
ORRERY_API int32_t orrery_world_applied(orrery_world* world, orrery_command* commands,
                                        uint32_t capacity);

// A value of a session, such as a score: a part of the state of a world, set by ORRERY_SET_VALUE.
typedef struct orrery_value {
  uint32_t size;
  uint16_t key_size;    // 1 to 64
  uint16_t bytes_size;  // 1 to 256
  uint8_t key[64];
  uint8_t bytes[256];
} orrery_value;

// Writes all values, ascending by key, and sets `*count` to their number, at most 1024. `values`
// has room for `capacity`, each with its size. With ORRERY_SHORT_BUFFER only `*count` is set.
ORRERY_API int32_t orrery_world_values(orrery_world* world, orrery_value* values, uint32_t capacity,
                                       uint32_t* count);

// A ray. Bodies without a shape are never hit.
typedef struct orrery_ray {
  uint32_t size;
  uint32_t ignores;  // 1: ignore the body `ignored`
  uint32_t ignored;  // id of a body
  uint32_t reserved;
  double origin[3];
  double along[3];  // from the origin to the end of the ray
} orrery_ray;

// The first part that a ray hits.
typedef struct orrery_hit {
  uint32_t size;
  uint32_t hits;    // 1: something was hit. 0: the other fields are 0
  uint32_t body;    // its id
  uint32_t part;    // index of the part
  double fraction;  // of the ray, 0 to 1
  double position[3];
  double normal[3];  // of the part, unit length. Zero: the ray begins inside it
} orrery_hit;

// Casts `count` rays against the bodies as they are now, and writes a hit for each ray.
ORRERY_API int32_t orrery_world_cast_rays(orrery_world* world, const orrery_ray* rays,
                                          orrery_hit* hits, uint32_t count);

// The kinds of events of a tick.
enum {
  ORRERY_CONTACT_END = 0,
  ORRERY_SENSOR_END = 1,
  ORRERY_CONTACT_BEGIN = 2,
  ORRERY_SENSOR_BEGIN = 3,
  ORRERY_HIT = 4,          // a contact began with a closing speed of at least 1
  ORRERY_JOINT_BROKE = 5,  // part_a: the joint, its place in the scene's list. a, b: its bodies
  // Of one body: a and b are its id.
  ORRERY_LEFT_BOUNDS = 6,  // its centre left the bounds of the scene
  ORRERY_FELL_ASLEEP = 7,  // if the scene has `sleep_events`
  ORRERY_WOKE = 8
};

// An event between two parts of bodies.
typedef struct orrery_event {
  uint32_t size;
  int32_t kind;  // ORRERY_CONTACT_END, ...
  uint32_t a;    // ids of the bodies
  uint32_t b;
  uint32_t part_a;  // indices of the parts
  uint32_t part_b;
  double speed;  // closing speed. Only ORRERY_HIT sets it and the next two
  double position[3];
  double normal[3];  // from a to b, unit length
} orrery_event;

// Writes the events of the last tick. `events` has room for `capacity` events, each with its size.
// orrery_world_info has their number.
ORRERY_API int32_t orrery_world_events(orrery_world* world, orrery_event* events,
                                       uint32_t capacity);

// --- client ---
//
// Call these in each frame, at any rate of 30 times a second or more:
//   orrery_client_update(client, now, 0);
//   orrery_client_frame(client, now, ORRERY_VERLET, &frame);
//   orrery_client_read(client, ORRERY_POSITION | ORRERY_ORIENTATION, rows, stride, capacity);
//
// `now` is the time in nanoseconds of a clock that never goes back. A client with a socket of its
// own reads the clock of the machine and ignores `now`.

// The settings of a client. Fields that are 0 have their defaults.
typedef struct orrery_client_options {
  uint32_t size;
  uint32_t follow;     // 1: step the world here, and compare each state with the server's
  uint32_t events;     // 1: give events, of all modes
  uint32_t admin;      // 1: tokens made with a key have the role admin, otherwise play
  uint32_t watch;      // 1: they have the role watch
  uint32_t plain;      // 1: receive whole snapshots instead of differences to earlier ones
  double reconnect;    // seconds in which a lost connection is made again. 0: 60. Below 0: none
  double command_min;  // least ticks that a command waits at the server
  double command_max;  // most ticks. 0: 120
} orrery_client_options;

// Makes a client with a UDP socket, and starts to connect to `server`, such as "127.0.0.1:4770".
// `access` is the path of a token file or of a key file. Null means the key of a server that you
// run on this machine. `options` and `why` may be null. If it fails, `*client` is null and `why`
// says why.
ORRERY_API int32_t orrery_client_open(const char* server, const char* access,
                                      const orrery_client_options* options, orrery_client** client,
                                      char* why, uint32_t why_size);

// Makes a client without a socket: you carry its datagrams. Then call orrery_client_connect().
ORRERY_API int32_t orrery_client_create(const orrery_client_options* options,
                                        orrery_client** client, char* why, uint32_t why_size);

// Frees the client and its worlds. Ignores null. After orrery_client_open() it informs the
// server. Otherwise call orrery_client_disconnect() before, and send its datagrams.
ORRERY_API void orrery_client_destroy(orrery_client* client);

// Gives a connect token of 2048 bytes, and connects with it. Do it at the start, and each time when
// `wants_token` of orrery_client_info is 1. Each token admits one client, once.
ORRERY_API int32_t orrery_client_connect(orrery_client* client, const void* token,
                                         uint32_t token_size, uint64_t now);

// Ends the connection, and informs the server.
ORRERY_API int32_t orrery_client_disconnect(orrery_client* client, uint64_t now);

// The address of a server: an IPv6 address, or an IPv4 address as ::ffff:a.b.c.d.
typedef struct orrery_address {
  uint32_t size;
  uint16_t port;
  uint16_t reserved;
  uint8_t ip[16];
} orrery_address;

// Takes a datagram that arrived from an address. A datagram that is forged or damaged is ignored.
ORRERY_API int32_t orrery_client_receive(orrery_client* client, const orrery_address* from,
                                         const void* bytes, uint32_t bytes_size, uint64_t now);

// Writes the next datagram to send, of at most 1232 bytes, and sets `*bytes_size`. Returns
// ORRERY_END if no datagram waits. After each orrery_client_update(), call it until it returns
// ORRERY_END.
ORRERY_API int32_t orrery_client_poll_send(orrery_client* client, orrery_address* to, void* bytes,
                                           uint32_t capacity, uint32_t* bytes_size);

// Does all that is due. With a socket of its own, the client receives and sends. It first waits for
// a datagram: at most `wait` nanoseconds, and at most a thirtieth of a second. Without a socket,
// `wait` is ignored.
ORRERY_API int32_t orrery_client_update(orrery_client* client, uint64_t now, uint64_t wait);

// The states of a client.
enum {
  ORRERY_IDLE = 0,  // has no token yet
  ORRERY_CONNECTING = 1,
  ORRERY_CONNECTED = 2,
  ORRERY_RECONNECTING = 3,  // the connection was lost, and is made again
  ORRERY_ENDED = 4          // `problem` of orrery_client_info says why
};

// The causes why a client is not connected. `problem` of orrery_client_info has a sentence.
enum {
  ORRERY_NO_FAILURE = 0,
  ORRERY_NOBODY_LISTENS = 1,    // no program has the port
  ORRERY_UNREACHABLE = 2,       // nothing can be sent to the address
  ORRERY_FULL = 3,              // the server has no free slot
  ORRERY_OTHER_VERSION = 4,     // the server is of another version
  ORRERY_TOKEN_EXPIRED = 5,     // by the server's clock, or by this one
  ORRERY_TOKEN_LONG_LIFE = 6,   // the token is valid for longer than the server allows
  ORRERY_TOKEN_FUTURE = 7,      // the token was made in the future of a clock
  ORRERY_TOKEN_ELSEWHERE = 8,   // the token is for another server
  ORRERY_TOKEN_TOO_OLD = 9,     // the token may be older than the server
  ORRERY_TOKEN_USED = 10,       // the token was used before
  ORRERY_TOKEN_OUTDATED = 11,   // the client is connected with a newer token
  ORRERY_OTHER_PROGRAM = 12,    // another program answers
  ORRERY_UNKNOWN_FAILURE = 13,  // no answer, and the token shows no fault
  ORRERY_SILENT = 14,           // the server fell silent
  ORRERY_STOPPED = 15,          // the server stopped
  ORRERY_REPLACED = 16,         // a newer connection of the same client took the place
  ORRERY_DROPPED = 17,          // the server dropped the client
  ORRERY_NO_TOKEN = 18,         // there was no token for the first connection
  ORRERY_KICKED = 19,           // an admin or the rules of the session removed the client
  ORRERY_BANNED = 20            // likewise, and it cannot join this session again
};

// Facts about a client and its session.
typedef struct orrery_client_info {
  uint32_t size;
  int32_t phase;         // ORRERY_IDLE, ...
  int32_t failure;       // ORRERY_NO_FAILURE, ...
  uint32_t wants_token;  // 1: give one with orrery_client_connect()
  uint32_t has_scene;    // 1: the scene has arrived
  uint32_t client;       // the client's number in commands. 0 before the first connection
  int32_t role;          // ORRERY_WATCH, ...
  uint32_t tick_rate;    // ticks per second of real time
  double tick_time;      // simulated time of a tick
  uint64_t epoch;        // changes when the server is started again
  char scene[72];        // name of the scene
  char problem[256];     // why the client is not connected, in one sentence, or empty
  uint64_t account;      // account of its token. 0: tokens of this server name none
} orrery_client_info;

// Gets the facts.
ORRERY_API int32_t orrery_get_client_info(orrery_client* client, orrery_client_info* info);

// Figures about the connection. Counts are since the client was made.
typedef struct orrery_client_stats {
  uint32_t size;
  uint32_t diverged;     // 1: a follower's state differed from the server's
  double round_trip;     // seconds. 0: unknown
  double jitter;         // seconds
  double loss;           // share of the datagrams, 0 to 1
  double frame_delay;    // ticks by which frames are later than the server
  double command_slack;  // ticks that commands on the fastest path wait at the server
  double margin;         // newest report: ticks by which commands were early
  uint64_t commands;
  uint64_t late_reports;  // reports of the server that a command was late
  uint64_t bytes_received;
  uint64_t datagrams_received;
  uint64_t events_missed;
  uint64_t hitches;               // pauses of your program of more than 250 ms
  uint64_t jumps;                 // other jumps of the shown tick
  uint64_t connections;           // connections that the server accepted
  uint64_t ticks_checked;         // ticks that a follower compared
  uint64_t first_divergent_tick;  // if diverged
  uint64_t refused;               // commands that the server refused
  uint64_t refusals_missed;       // of these, not in orrery_client_refusals(), for lack of room
  uint64_t notices_missed;        // not in orrery_client_notices(), for lack of room
} orrery_client_stats;

// Gets the figures.
ORRERY_API int32_t orrery_get_client_stats(orrery_client* client, orrery_client_stats* stats);

// Saves the last ten seconds of a follower that has diverged, as a log for `orrery verify`. Its
// files are PATH and PATH.0001. If PATH exists, they are PATH-2 and PATH-2.0001, and so on.
// `report` becomes a text such as "body 37, velocity.x: 1.5 here, 1.25 there; the last ten seconds
// are in PATH", without the body if it is not known. It may be null. Returns ORRERY_NOT_READY if
// no tick has diverged. It may take longer than a frame.
ORRERY_API int32_t orrery_client_save_flight(orrery_client* client, const char* path, char* report,
                                             uint32_t report_size);

// Sends a command for the earliest tick that it can reach in time, and repeats it until it has
// arrived. The fields `client` and `sequence` are ignored. On average the server applies one
// command of a client in each tick, with a short burst of a few more. Give ORRERY_MOVE at most once
// in a tick. The commands of a client are numbered 1, 2, 3, ... in the order of these calls:
// `commands` of orrery_client_stats is the number of the newest.
ORRERY_API int32_t orrery_client_command(orrery_client* client, const orrery_command* command,
                                         uint64_t now);

// The reasons why the server refused a command.
enum {
  ORRERY_REFUSED_MALFORMED = 2,     // a number is not finite or out of range
  ORRERY_REFUSED_NOT_JOINED = 3,    // the client has left
  ORRERY_REFUSED_ROLE = 4,          // the role of the client does not allow the command
  ORRERY_REFUSED_NO_BODY = 5,       // the body, or the body to copy, does not exist
  ORRERY_REFUSED_FIXED = 6,         // the body is an anchor or kinematic
  ORRERY_REFUSED_NOT_YOURS = 7,     // the scene does not let the client command the body
  ORRERY_REFUSED_TOO_STRONG = 8,    // beyond the limits of a scene with "command_excess": "refuse"
  ORRERY_REFUSED_FULL = 9,          // no room for a further body, thrust or value
  ORRERY_REFUSED_NO_GRAB = 10,      // the client grabs no body
  ORRERY_REFUSED_UNAVAILABLE = 11,  // the scene does not have this parameter, or not this value
  ORRERY_REFUSED_NOT_KINEMATIC = 12,  // the command is for kinematic bodies
  ORRERY_REFUSED_NO_JOINT = 13,  // the joint does not exist, is broken, or leaves no motion free
  ORRERY_REFUSED_NO_CLIENT = 14  // the client that the command names has not joined
};

// A command that the server refused.
typedef struct orrery_refusal {
  uint32_t size;
  int32_t reason;    // ORRERY_REFUSED_ROLE, ...
  uint64_t command;  // its number
  uint64_t tick;     // in which it would have been applied
} orrery_refusal;

// Writes the next refusals, at most `capacity`, and sets `*count`. Returns ORRERY_END if none wait.
// A command that was allowed but changed nothing is not refused. If you read no refusals, 4,096
// wait, and `refusals_missed` of orrery_client_stats counts the others.
ORRERY_API int32_t orrery_client_refusals(orrery_client* client, orrery_refusal* refusals,
                                          uint32_t capacity, uint32_t* count);

// Writes all values of the session as orrery_world_values() does. Without a connection there are
// none.
ORRERY_API int32_t orrery_client_values(orrery_client* client, orrery_value* values,
                                        uint32_t capacity, uint32_t* count);

// A notice to this client, by the rules of the session or an admin (ORRERY_TELL).
typedef struct orrery_notice {
  uint32_t size;
  uint16_t bytes_size;  // 1 to 256
  uint16_t reserved;
  uint64_t tick;
  uint8_t bytes[256];
} orrery_notice;

// Writes the next notices, at most `capacity`, and sets `*count`.
// Returns ORRERY_END if nothing waits. If you read nothing, 1,024 wait, and `notices_missed` of
// orrery_client_stats counts the others.
ORRERY_API int32_t orrery_client_notices(orrery_client* client, orrery_notice* notices,
                                         uint32_t capacity, uint32_t* count);

// The ways in which bodies move in frames.
enum {
  ORRERY_INTERPOLATE = 0,       // for bodies that touch
  ORRERY_VERLET = 1,            // for bodies that fly or swing
  ORRERY_PUBLISHED_VERLET = 2,  // for comparison
  ORRERY_FOLLOW = 3             // the exact state of the newest tick. Only if the client follows
};

// A frame.
typedef struct orrery_frame {
  uint32_t size;
  uint32_t bodies;  // bodies in the frame
  double tick;      // the moment that it shows, usually between two ticks
} orrery_frame;

// Moves all bodies to `now`. The functions below read this frame until the next call with a `now`.
// Only orrery_client_command() and orrery_client_cast_ray() keep the frame.
ORRERY_API int32_t orrery_client_frame(orrery_client* client, uint64_t now, int32_t mode,
                                       orrery_frame* frame);

// Writes the poses of the frame as orrery_world_read() does. `what` combines ORRERY_POSITION,
// ORRERY_ORIENTATION, ORRERY_IDENTITY and ORRERY_DOUBLE.
ORRERY_API int32_t orrery_client_read(orrery_client* client, uint32_t what, void* rows,
                                      uint32_t stride, uint32_t capacity);

// How much a pose can be trusted.
enum {
  ORRERY_EXACT = 0,         // the state of a tick, bit for bit
  ORRERY_INTERPOLATED = 1,  // between two states, or shortly after the newest
  ORRERY_STALE = 2          // no state arrived for 250 ms, so the body was stopped
};

// A body of a frame.
typedef struct orrery_shown_body {
  uint32_t size;
  uint32_t id;
  uint32_t scene_body;  // id of the scene body that it is or copies, see orrery_client_scene()
  int32_t quality;      // ORRERY_EXACT, ...
} orrery_shown_body;

// Writes the bodies of the frame, in the order of orrery_client_read(). `bodies` has room for
// `capacity` bodies, each with its size.
ORRERY_API int32_t orrery_client_bodies(orrery_client* client, orrery_shown_body* bodies,
                                        uint32_t capacity);

// Sets `*world` to a world with the scene of the server in its initial state, for
// orrery_get_body(), orrery_get_part() and orrery_get_surface(). The client owns it, and it can be
// read only. It is the same handle in every call, also if a new `epoch` has another scene.
ORRERY_API int32_t orrery_client_scene(orrery_client* client, orrery_world** world);

// Sets `*world` to the world that the client follows: the exact state of the newest tick. The
// client owns it, and it can be read only. It is the same handle in every call. While there is no
// state, functions of worlds return ORRERY_BAD_HANDLE for it.
ORRERY_API int32_t orrery_client_world(orrery_client* client, orrery_world** world);

// Writes the next events, which are all of one tick, and sets `*count` and `*tick`. A tick with
// many events may take several calls. Returns ORRERY_END if no events wait. With
// ORRERY_SHORT_BUFFER only `*count` and `*tick` are set, and the next call gives the same events.
// `events` of orrery_client_options must be 1. Without `follow`, the server sends the events. With
// it, they are those of every tick that the world made, also if one orrery_client_update() makes
// several. If you read no events, 65,536 wait. `events_missed` of orrery_client_stats counts those
// that the server left out or that had no room here.
ORRERY_API int32_t orrery_client_events(orrery_client* client, orrery_event* events,
                                        uint32_t capacity, uint32_t* count, uint64_t* tick);

// Asks the server for the first part that a ray hits in the server's newest state, and sets
// `*number`. The rays of a client are numbered 1, 2, 3, ... `ignores` must be 0. The question is
// sent once: if no answer arrives within a second, ask again. The server answers at most 30 rays of
// a client a second. A client that follows can also use orrery_world_cast_rays() for its world.
ORRERY_API int32_t orrery_client_cast_ray(orrery_client* client, const orrery_ray* ray,
                                          uint64_t now, uint32_t* number);

// Writes the next answer. Sets `*number` to the number of its ray, and `*tick` to the tick of the
// state in which the server cast the ray. Returns ORRERY_END if no answer waits.
ORRERY_API int32_t orrery_client_hit(orrery_client* client, orrery_hit* hit, uint32_t* number,
                                     uint64_t* tick);

// --- log ---

// Each opens a session log, and reads it to its end once without stepping, so the time is
// proportional to its size. A torn or damaged log can be used up to its last sound record. If it
// fails, `*log` is null and `why` says why. `why` may be null.
// - file: the first file of a log. The folder has its other segments.
// - bytes: a log of one segment. They are copied.
// - segments: the plain bytes of all segments, in order. They are copied. A missing segment has the
//   size 0.
ORRERY_API int32_t orrery_log_from_file(const char* path, orrery_log** log, char* why,
                                        uint32_t why_size);
ORRERY_API int32_t orrery_log_from_bytes(const void* bytes, uint64_t bytes_size, orrery_log** log,
                                         char* why, uint32_t why_size);
ORRERY_API int32_t orrery_log_from_segments(const void* const* segments, const uint64_t* sizes,
                                            uint32_t segments_count, orrery_log** log, char* why,
                                            uint32_t why_size);

// Frees a log and its world. Ignores null.
ORRERY_API void orrery_log_destroy(orrery_log* log);

// Facts about a log.
typedef struct orrery_log_info {
  uint32_t size;
  uint32_t rules;      // with other rules than the library, states are known at checkpoints only
  uint32_t tick_rate;  // ticks per second of real time
  uint32_t segments;
  uint64_t first_tick;    // of the first record, or 0 if there is none
  uint64_t last_tick;     // of the last record, or 0 if there is none
  uint64_t lost_ticks;    // in gaps between records
  uint64_t lost_bytes;    // at the end
  uint64_t initial_hash;  // of the state of tick 0
  uint64_t scene_bytes;   // size of the scene, for orrery_log_scene()
  uint64_t kept_bytes;    // of kept states, see orrery_log_keep()
  uint32_t closed;        // 1: the session ended normally
  uint32_t damaged;       // 1: bytes were changed, or a segment is missing
  uint8_t session[16];    // identifies the session
  char scene[72];         // name of the scene
  char build[264];        // the program that recorded the first segment
  char fault[256];        // fault of the log in one line, or empty
} orrery_log_info;

// Gets the facts.
ORRERY_API int32_t orrery_get_log_info(orrery_log* log, orrery_log_info* info);

// Writes the binary form of the scene, for orrery_world_from_bytes().
ORRERY_API int32_t orrery_log_scene(orrery_log* log, void* bytes, uint64_t capacity);

// A record of a tick.
typedef struct orrery_record {
  uint32_t size;
  uint32_t commands;  // commands that changed something in this tick
  uint64_t tick;
  uint64_t hash;  // of the state after the tick
} orrery_record;

// Reads the next record and its commands. `commands` has room for `capacity` commands, each with
// its size. With ORRERY_SHORT_BUFFER only `record` is written, and the next call reads the same
// record. With a `commands` that is null, commands are skipped. Returns ORRERY_END at the end.
ORRERY_API int32_t orrery_log_next(orrery_log* log, orrery_record* record, orrery_command* commands,
                                   uint32_t capacity);

// Moves orrery_log_next() back to the first record.
ORRERY_API int32_t orrery_log_rewind(orrery_log* log);

// Moves the world of the log to the state after `tick`, forwards or backwards, and sets `*world` to
// it. It is the same handle in every call, and the log owns it. It can be read, but not changed.
// Steps from the nearest known state, at most the ticks between two checkpoints. With a `ticks_max`
// that is not 0, steps at most `ticks_max` ticks and returns ORRERY_MORE if `tick` is not reached.
// After ORRERY_MORE, ORRERY_NOT_FOUND (the tick is beyond the end or was lost), ORRERY_DIVERGED or
// ORRERY_OTHER_RULES, `*world` is set too: orrery_world_info has the tick that the world reached.
ORRERY_API int32_t orrery_log_seek(orrery_log* log, uint64_t tick, uint32_t ticks_max,
                                   orrery_world** world);

// Keeps states in up to `bytes_max` bytes from now on, and forgets earlier ones.
// orrery_log_verify() and orrery_log_prepare() collect them, and orrery_log_seek() starts from
// them. They are dense near the tick that was sought last. In the memory that is left, or in 256
// MiB without this call, orrery_log_seek() keeps states on its way back to a tick.
ORRERY_API int32_t orrery_log_keep(orrery_log* log, uint64_t bytes_max);

// Keeps more states near the tick that was sought last, in a world of its own. Steps at most
// `ticks_max` ticks. Returns ORRERY_MORE until enough states are kept, and ORRERY_END then.
ORRERY_API int32_t orrery_log_prepare(orrery_log* log, uint32_t ticks_max);

// The progress of a verification.
typedef struct orrery_verification {
  uint32_t size;
  uint32_t diverged;              // 1: a state, a command or a checkpoint differs
  uint64_t first_divergent_tick;  // if diverged. 0: the initial state
  uint64_t ticks;                 // ticks that were read
  uint64_t verified;              // ticks with the same state and commands
} orrery_verification;

// Replays the next `ticks_max` ticks of the log and compares every state with the recorded one.
// Returns ORRERY_OK while ticks may be left, and ORRERY_END at the end of the log or after a
// divergence. Check `diverged` and the `fault` of orrery_log_info then. `restart`: 1 begins again.
// Sets `*world`, unless null, to the world that replays: read its poses, sums and events tick by
// tick, and one replay serves all. The log owns it. It is another one after a restart.
ORRERY_API int32_t orrery_log_verify(orrery_log* log, uint32_t ticks_max, uint32_t restart,
                                     orrery_verification* verification, orrery_world** world);

#ifdef __cplusplus
}
#endif

#endif
