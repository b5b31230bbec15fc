// The view of a live picture, which follows the bodies until the user moves it.
#pragma once

#include <optional>
#include <span>

#include "client/cli/render/picture/picture.h"
#include "client/cli/watch/keys.h"

namespace orrery::cli {

// Chooses the view of each picture: one that shows the bodies that can move (view_of). The view
// changes only if bodies leave the picture or use little of it. It then changes smoothly, over
// several pictures. A view that the user has moved stays as it is, until the user presses a key
// that chooses an axis or follows the bodies again.
class Camera {
 public:
  explicit Camera(Axis axis) : axis_(axis) {}

  Axis axis() const { return axis_; }

  // Returns the view of the next picture, of width x height pixels.
  View view(const Models& models, std::span<const DrawnBody> bodies, double width, double height);

  // Moves or zooms the view, or changes its axis, if the key is for that. Ignores other keys.
  void press(Key key);

 private:
  void look(Axis axis);
  void pan(double right, double up);
  void zoom(double factor);

  Axis axis_;
  bool moved_ = false;         // the user has moved the view
  std::optional<View> frame_;  // a view around the bodies, towards which shown_ moves
  std::optional<View> shown_;  // the view of the last picture
};

}  // namespace orrery::cli
