// Shows the bodies of a server in a window. Grab one with the mouse, and throw it.
//
//   cc -std=c99 throw.c $(pkg-config --cflags --libs orrery sdl2) -lm -o throw
//   ./throw 127.0.0.1:4770
#include "orrery.h"
#include "throw_draw.h"

enum { kBodiesMax = 4096 };

static orrery_client* client;
static orrery_shown_body bodies[kBodiesMax];
static double rows[kBodiesMax][7];  // position and orientation of each body

// Reads the bodies of a new frame, with their positions and orientations. Returns the number of
// bodies; 0 on an error.
static uint32_t next_frame(orrery_frame* frame) {
  const uint32_t what = ORRERY_POSITION | ORRERY_ORIENTATION | ORRERY_DOUBLE;
  orrery_client_update(client, 0, 0);
  orrery_client_frame(client, 0, ORRERY_INTERPOLATE, frame);
  if (orrery_client_read(client, what, rows, sizeof rows[0], kBodiesMax) != ORRERY_OK) return 0;
  for (uint32_t i = 0; i < frame->bodies; ++i) bodies[i].size = sizeof bodies[i];
  return orrery_client_bodies(client, bodies, kBodiesMax) == ORRERY_OK ? frame->bodies : 0;
}

// Draws the bodies. Returns the index of the body nearest to the point (x, y), among those within 1
// unit that a client may command; -1 if there is none.
static int draw_all(SDL_Renderer* renderer, uint32_t count, float x, float y) {
  int picked = -1;
  double distance = 1;
  orrery_world* scene;
  clear(renderer);
  if (orrery_client_scene(client, &scene) != ORRERY_OK) return picked;
  for (uint32_t i = 0; i < count; ++i) {
    orrery_body body = {.size = sizeof body};
    orrery_part part = {.size = sizeof part, .kind = ORRERY_SPHERE};  // if it has no parts
    orrery_get_body(scene, bodies[i].scene_body, &body);
    orrery_get_part(scene, bodies[i].scene_body, 0, &part);
    draw_body(renderer, rows[i], &body, part.kind, bodies[i].id);
    const double away = hypot(rows[i][0] - x, rows[i][1] - y);
    if (away >= distance || body.control == ORRERY_NOBODY) continue;
    distance = away;
    picked = (int)i;
  }
  return picked;
}

// Grabs the body `picked` when the mouse button goes down, then pulls it to the point (x, y).
static void pull(int is_down, int picked, float x, float y) {
  static int holds;
  static float z;  // z of the body when it was grabbed
  orrery_command command = {.size = sizeof command, .first = {x, y, z}};
  command.kind = is_down ? ORRERY_MOVE : ORRERY_RELEASE;
  if (!holds) {
    if (!is_down || picked < 0) return;
    z = (float)rows[picked][2];
    command = (orrery_command){.size = sizeof command,
                               .kind = ORRERY_GRAB,
                               .subject = bodies[picked].id,
                               .second = {x, y, z}};
  }
  if (orrery_client_command(client, &command, 0) == ORRERY_OK) holds = is_down;
}

// Shows the round trip, or why the client is not connected.
static void show_status(SDL_Window* window) {
  char text[400];
  orrery_client_info info = {.size = sizeof info};
  orrery_client_stats stats = {.size = sizeof stats};
  orrery_get_client_info(client, &info);
  orrery_get_client_stats(client, &stats);
  SDL_snprintf(text, sizeof text, "%s  %.1f ms  %s", info.scene, 1e3 * stats.round_trip,
               info.problem);
  SDL_SetWindowTitle(window, text);
}

int main(int argc, char** argv) {
  char why[512] = "usage: throw ADDR:PORT";
  SDL_Window* window;
  SDL_Renderer* renderer;
  if (argc < 2 || orrery_client_open(argv[1], NULL, NULL, &client, why, sizeof why) < 0 ||
      SDL_CreateWindowAndRenderer(kWidth, kHeight, SDL_WINDOW_RESIZABLE, &window, &renderer) < 0) {
    SDL_Log("%s", why);
    return 2;
  }
  SDL_RenderSetLogicalSize(renderer, kWidth, kHeight);
  SDL_RenderSetVSync(renderer, 1);
  orrery_frame frame = {.size = sizeof frame};
  for (int runs = 1; runs;) {
    for (SDL_Event event; SDL_PollEvent(&event);) runs = runs && event.type != SDL_QUIT;
    const double last = floor(frame.tick);
    float x, y;
    const uint32_t count = next_frame(&frame);
    const int is_down = read_mouse(renderer, &x, &y);
    const int picked = draw_all(renderer, count, x, y);
    if (floor(frame.tick) != last) pull(is_down, picked, x, y);  // once a tick is often enough
    show_status(window);
    SDL_RenderPresent(renderer);
  }
  orrery_client_destroy(client);
  SDL_Quit();
  return 0;
}
