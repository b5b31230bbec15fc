// Shows a live view until it ends.
#pragma once

#include <cstdint>

#include "client/cli/watch/page.h"
#include "client/cli/watch/source.h"

namespace orrery::cli {

// How a live view is shown.
struct ViewerOptions {
  PageKind kind = PageKind::picture;
  Axis axis = Axis::front;
  std::uint32_t seconds = 0;  // 0: no limit
};

// Returns true if stdout is a terminal that can show pages.
bool stdout_shows_pages();

// Shows pages on the terminal until the user quits, the source ends, or the time in `options` is
// over. Draws at most 30 pages a second, and uses at most a quarter of a processor for it.
void view_live(Source& source, const ViewerOptions& options);

// Prints a table of up to 37 bodies every second until the user stops the program, the source ends,
// or the time in `options` is over.
void print_tables(Source& source, const ViewerOptions& options);

// Prints one page as soon as there is one: a picture as large as the terminal, or a table of all
// bodies. Returns early if the user stops the program or the source ends. An Error says why there
// will be no page: the scene of the server cannot be used, or the time is over.
Status print_once(Source& source, const ViewerOptions& options);

}  // namespace orrery::cli
