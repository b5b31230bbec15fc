// The pages of `orrery watch`: a picture or a table, with lines about the session.
#pragma once

#include <optional>

#include "client/cli/render/terminal/screen.h"
#include "client/cli/watch/camera.h"
#include "client/cli/watch/moment.h"
#include "client/cli/watch/table.h"
#include "common/host/process/raw_terminal.h"

namespace orrery::cli {

// The content of a page between its top and bottom bars.
enum class PageKind : bool { picture, table };

// Draws pages, and changes them as keys are pressed.
class Page {
 public:
  Page(PageKind kind, Axis axis, Colours colours) : kind_(kind), camera_(axis), colours_(colours) {}

  Colours colours() const { return colours_; }

  // Returns the page of a moment.
  Screen draw(const Moment& moment, const host::TerminalSize& size);

  // Handles a key. If this kind of page uses the key, later draw() calls show its effect.
  void press(Key key);

 private:
  void select(const Moment& moment);
  void draw_picture(const Moment& moment, Screen& screen);
  void draw_table(const Moment& moment, Screen& screen);
  void draw_help(Screen& screen) const;
  std::string title(const Moment& moment, const std::optional<BodyId>& fastest) const;
  std::string footer(const Moment& moment) const;

  PageKind kind_;
  Camera camera_;
  Table table_;
  Colours colours_;
  bool helps_ = false;  // the list of keys is shown
  // The next draw() moves the selection by this many moving bodies. Negative: backwards.
  int steps_ = 0;
  std::optional<BodyId> selected_;
};

}  // namespace orrery::cli
