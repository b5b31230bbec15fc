// Runs client/examples/throw.c without a hand: throws the ball, and saves the last frame.
//
//   throw_test ADDR:PORT FILE.bmp
#include <SDL.h>

// The mouse of frame `n`: it presses at the ball, moves up and to the left, and lets go.
static Uint32 mouse(int* x, int* y);
static void present(SDL_Renderer* renderer);

#define SDL_GetMouseState mouse
#define SDL_RenderPresent present
#define main run
#include "throw.c"
#undef main
#undef SDL_RenderPresent

enum { kPress = 90, kRelease = 150, kEnd = 165 };

static int shown;  // frames
static const char* file;

static Uint32 mouse(int* x, int* y) {
  const int moved = shown < kPress ? 0 : shown - kPress;
  *x = kWidth / 2 + 60 - 3 * moved;
  *y = kHeight - 58 - 3 * moved;
  return shown >= kPress && shown < kRelease ? SDL_BUTTON_LMASK : 0;
}

static void present(SDL_Renderer* renderer) {
  if (++shown < kEnd) {
    SDL_RenderPresent(renderer);
    return;
  }
  SDL_Surface* const picture = SDL_CreateRGBSurface(0, kWidth, kHeight, 24, 0, 0, 0, 0);
  SDL_RenderReadPixels(renderer, NULL, picture->format->format, picture->pixels, picture->pitch);
  if (SDL_SaveBMP(picture, file) != 0) exit(1);
  SDL_PushEvent(&(SDL_Event){.type = SDL_QUIT});
}

int main(int argc, char** argv) {
  file = argv[argc - 1];
  return run(argc - 1, argv);
}
