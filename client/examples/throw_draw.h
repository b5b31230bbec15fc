// Draws bodies from the front with SDL, as balls, boxes and floors. The window is 26 units of
// length wide and 12 high.
#ifndef THROW_DRAW_H
#define THROW_DRAW_H

#include <SDL.h>
#include <math.h>

#include "orrery.h"

enum { kCorners = 32, kPixels = 40, kWidth = 26 * kPixels, kHeight = 12 * kPixels };

// Returns the pixel of a point: x is to the right and y up. y = 0 is one unit of length above the
// lower edge.
static SDL_FPoint to_pixel(double x, double y) {
  return (SDL_FPoint){(float)(kWidth / 2 + kPixels * x), (float)(kHeight - kPixels * (y + 1))};
}

// Sets x and y to the point of the scene under the mouse. Returns 1 if the left button is down.
static int read_mouse(SDL_Renderer* renderer, float* x, float* y) {
  int column, row;
  const int pressed = (SDL_GetMouseState(&column, &row) & SDL_BUTTON_LMASK) != 0;
  SDL_RenderWindowToLogical(renderer, column, row, x, y);
  *x = (*x - kWidth / 2) / kPixels;
  *y = (kHeight - *y) / kPixels - 1;
  return pressed;
}

// Sets axes[k] to axis k of a body with the orientation q: x, y, z, w.
static void axes_of(const double* q, double axes[3][3]) {
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    axes[k][k] = 1 - 2 * (q[l] * q[l] + q[m] * q[m]);
    axes[k][l] = 2 * (q[k] * q[l] + q[3] * q[m]);
    axes[k][m] = 2 * (q[k] * q[m] - q[3] * q[l]);
  }
}

static void clear(SDL_Renderer* renderer) {
  SDL_SetRenderDrawColor(renderer, 250, 250, 246, 255);
  SDL_RenderClear(renderer);
}

// Fills a polygon, and draws its edge darker.
static void fill(SDL_Renderer* renderer, const SDL_FPoint* corners, SDL_Color color) {
  SDL_Vertex vertices[kCorners];
  int triangles[kCorners - 2][3];
  for (int c = 0; c < kCorners; ++c) {
    const SDL_FPoint middle = {corners[c].x + 0.5f, corners[c].y + 0.5f};  // of the pixel
    vertices[c] = (SDL_Vertex){middle, color, {0, 0}};
  }
  for (int c = 0; c < kCorners - 2; ++c) {
    triangles[c][0] = 0;
    triangles[c][1] = c + 1;
    triangles[c][2] = c + 2;
  }
  SDL_RenderGeometry(renderer, NULL, vertices, kCorners, triangles[0], 3 * (kCorners - 2));
  SDL_SetRenderDrawColor(renderer, color.r / 2, color.g / 2, color.b / 2, 255);
  SDL_RenderDrawLinesF(renderer, corners, kCorners);
  SDL_RenderDrawLinesF(renderer, (SDL_FPoint[]){corners[0], corners[kCorners - 1]}, 2);
}

// Draws a floor: fills everything below the given height.
static void draw_floor(SDL_Renderer* renderer, double height) {
  const float top = to_pixel(0, height).y;
  SDL_SetRenderDrawColor(renderer, 222, 222, 220, 255);
  SDL_RenderFillRectF(renderer, &(SDL_FRect){0, top, kWidth, kHeight - top});
}

// Draws a body: a plane that faces up as a floor, other planes not at all. A sphere is drawn as a
// ball and any other shape as its box: the polygon of the outermost points in 32 directions.
// - row: position and orientation
// - kind: of its shape, ORRERY_SPHERE, ...
static void draw_body(SDL_Renderer* renderer, const double* row, const orrery_body* body,
                      int32_t kind, uint32_t id) {
  const double* const half = body->half_extents;
  const Uint32 rgb = (Uint32)body->color;
  static const SDL_Color colors[] = {{66, 128, 204, 255}, {204, 98, 160, 255}, {82, 162, 74, 255},
                                     {158, 116, 92, 255}, {126, 96, 188, 255}, {208, 110, 34, 255},
                                     {200, 160, 30, 255}};
  double axes[3][3];
  SDL_FPoint corners[kCorners];
  axes_of(row + 3, axes);
  if (kind == ORRERY_PLANE) {
    if (axes[1][1] > 0.9) draw_floor(renderer, row[1]);
    return;
  }
  for (int c = 0; c < kCorners; ++c) {
    const double angle = 2 * 3.14159265 * c / kCorners;
    double x = row[0], y = row[1];
    for (int k = 0; k < 3; ++k) {
      const double reach = axes[k][0] * cos(angle) + axes[k][1] * sin(angle);
      const double part = kind == ORRERY_SPHERE ? half[k] * reach : copysign(half[k], reach);
      x += part * axes[k][0];
      y += part * axes[k][1];
    }
    corners[c] = to_pixel(x, y);
  }
  const SDL_Color own = {(Uint8)(rgb >> 16), (Uint8)(rgb >> 8), (Uint8)rgb, 255};
  fill(renderer, corners, body->color == ORRERY_NO_COLOR ? colors[id % 7] : own);
}

#endif
