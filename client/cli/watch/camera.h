// The view of a live picture, which follows the bodies until the user moves it.
#pragma once

#include <optional>
#include <span>

#include "client/cli/render/picture/picture.h"
#include "client/cli/watch/keys.h"

namespace orrery::cli {

// Chooses the view of each picture. It shows all moving bodies. It changes only if bodies leave the
// picture or use little of it, and then smoothly. After the user moves it, it stays where it is.
class Camera {
 public:
  explicit Camera(Axis axis) : axis_(axis) {}

  Axis axis() const { return axis_; }

  // Returns the view of the next picture, of width x height pixels.
  View view(const Models& models, std::span<const DrawnBody> bodies, double width, double height);

  // Moves the view, if the key does.
  void press(Key key);

 private:
  void look(Axis axis);
  void pan(double right, double up);
  void zoom(double factor);

  Axis axis_;
  bool moved_ = false;         // by the user
  std::optional<View> frame_;  // around the bodies, where the view moves to
  std::optional<View> shown_;
};

}  // namespace orrery::cli
