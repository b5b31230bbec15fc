// Runs client/examples/throw.c without a user: throws the ball, and saves a picture.
//
//   throw_test ADDR:PORT FILE.bmp
#include <SDL.h>
#include <stdlib.h>

// Replace the mouse, and see each frame before it is shown.
static Uint32 mouse(int* x, int* y);
static void present(SDL_Renderer* renderer);

#define SDL_GetMouseState mouse
#define SDL_RenderPresent present
#define main throw_main
#include "throw.c"
#undef main
#undef SDL_RenderPresent

enum { kPress = 30, kRelease = 90, kEnd = 100 };  // frames with bodies

static int frames;
static const char* file;

// Presses at the ball, pulls it up and to the right, and lets go.
static Uint32 mouse(int* x, int* y) {
  const int moved = frames < kPress ? 0 : 3 * (frames - kPress);
  *x = kWidth / 2 + 60 + moved;
  *y = kHeight - 58 - moved;
  return frames >= kPress && frames < kRelease ? SDL_BUTTON_LMASK : 0;
}

static void save(SDL_Renderer* renderer) {
  SDL_Surface* const picture = SDL_CreateRGBSurface(0, kWidth, kHeight, 24, 0, 0, 0, 0);
  SDL_RenderReadPixels(renderer, NULL, picture->format->format, picture->pixels, picture->pitch);
  if (SDL_SaveBMP(picture, file) != 0) exit(1);
  SDL_FreeSurface(picture);
}

static void present(SDL_Renderer* renderer) {
  frames += rows[0][6] != 0;  // an orientation has arrived
  if (frames == kEnd) save(renderer);
  if (frames >= kEnd) SDL_PushEvent(&(SDL_Event){.type = SDL_QUIT});
  SDL_RenderPresent(renderer);
}

int main(int argc, char** argv) {
  file = argv[argc - 1];
  return throw_main(argc - 1, argv);
}
