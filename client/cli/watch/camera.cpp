// The view of a live picture, which follows the bodies until the user moves it.
#include "client/cli/watch/camera.h"

#include <algorithm>
#include <cmath>

namespace orrery::cli {
namespace {

// Size of a new target view, frame_, as a multiple of the size that just shows the bodies.
constexpr double kRoom = 1.15;
constexpr double kUnused = 2.5;  // the target view is replaced if it is this many times too large
// Part of the distance to frame_ by which the view moves in each picture.
constexpr double kGlide = 0.2;
// Part of the picture's width or height by which an arrow key moves the view.
constexpr double kPanShare = 0.1;
constexpr double kZoom = 1.25;
constexpr double kScaleLimit = 1e9;

// Returns true if `frame` can stay the target view: it shows all that `needed` shows, and is less
// than kUnused times as large.
bool suits(const View& frame, const View& needed) {
  const Vec3 off = seen_along(frame.axis, needed.centre - frame.centre);
  const auto fits = [&](double distance, double size) {
    return std::abs(distance) + size / 2 / needed.scale <= size / 2 / frame.scale * 1.0001;
  };
  return fits(off.x, frame.width) && fits(off.y, frame.height) &&
         needed.scale < kUnused * frame.scale;
}

}  // namespace

View Camera::view(const Models& models, std::span<const DrawnBody> bodies, double width,
                  double height) {
  if (shown_ && (shown_->width != width || shown_->height != height)) {
    const double ratio = std::min(width / shown_->width, height / shown_->height);
    shown_->width = width;
    shown_->height = height;
    shown_->scale *= ratio;
    frame_.reset();
  }
  if (moved_ && shown_) return *shown_;
  const View needed = view_of(models, bodies, axis_, width, height);
  if (!frame_ || !suits(*frame_, needed)) {
    frame_ = needed;
    frame_->scale /= kRoom;
  }
  if (!shown_) shown_ = frame_;
  shown_->centre += kGlide * (frame_->centre - shown_->centre);
  shown_->scale += kGlide * (frame_->scale - shown_->scale);
  return *shown_;
}

void Camera::look(Axis axis) {
  axis_ = axis;
  moved_ = false;
  frame_.reset();
  shown_.reset();
}

void Camera::pan(double right, double up) {
  if (!shown_) return;
  moved_ = true;
  const double step = kPanShare / shown_->scale;
  shown_->centre += from_seen(axis_, {right * step * shown_->width, up * step * shown_->height, 0});
}

void Camera::zoom(double factor) {
  if (!shown_) return;
  moved_ = true;
  shown_->scale = std::clamp(shown_->scale * factor, 1 / kScaleLimit, kScaleLimit);
}

void Camera::press(Key key) {
  switch (key) {
    case Key::front:
      return look(Axis::front);
    case Key::side:
      return look(Axis::side);
    case Key::top:
      return look(Axis::top);
    case Key::fit:
      return look(axis_);
    case Key::left:
      return pan(-1, 0);
    case Key::right:
      return pan(1, 0);
    case Key::up:
      return pan(0, 1);
    case Key::down:
      return pan(0, -1);
    case Key::zoom_in:
      return zoom(kZoom);
    case Key::zoom_out:
      return zoom(1 / kZoom);
    default:
      return;
  }
}

}  // namespace orrery::cli
