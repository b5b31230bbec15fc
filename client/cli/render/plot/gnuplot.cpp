// Draws charts with gnuplot.
#include "client/cli/render/plot/gnuplot.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "common/core/printable.h"

extern char** environ;

namespace orrery::plot {

namespace {

// Returns the error in errno about `what`, with advice if there is any.
Error error_of(const std::string& what) {
  const std::string advice = errno == EMFILE ? "; raise the limit of open files (ulimit -n)" : "";
  return Error{what + ": " + std::strerror(errno) + advice};
}

// The palette of Okabe and Ito, whose colours colour-blind readers can distinguish. A grey replaces
// the yellow of the palette, which is too pale for lines.
constexpr const char* kPalette[] = {"#000000", "#D55E00", "#0072B2", "#009E73",
                                    "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F"};
constexpr int kColours = 8;
constexpr int kPanelWidth = 900;
constexpr int kPanelHeight = 540;

// Returns the text as a double-quoted string of gnuplot. Drops quotes, backslashes and newlines,
// which could end the string. Drops backquotes, because gnuplot runs the text between them.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c != '"' && c != '\\' && c != '\n' && c != '`') out += c;
  }
  return out + '"';
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

std::string data_block(const Curve& curve, const std::string& name) {
  std::string out = name + " << EOD\n";
  for (const auto& [x, y] : curve.points) {
    out += std::isfinite(x) && std::isfinite(y) ? number(x) + " " + number(y) + "\n" : "\n";
  }
  return out + "EOD\n";
}

std::string style(const Curve& curve) {
  ORRERY_ASSERT(curve.colour >= 0 && curve.colour < kColours);
  const std::string colour = std::string(" lc rgb \"") + kPalette[curve.colour] + "\"";
  // Each colour also has its own shape of points, so that prints without colour are readable.
  const std::string mark = " pt " + std::to_string(curve.colour * 2 + 5);
  switch (curve.stroke) {
    case Stroke::line:
      return "with lines lw 2.5" + colour;
    case Stroke::thin:
      return "with lines lw 1.2" + colour;
    case Stroke::dashed:
      return "with lines lw 2.5 dt (8,5)" + colour;
    case Stroke::dots:
      return "with points pt 7 ps 0.45" + colour;
    default:
      return "with linespoints lw 2 ps 0.9" + mark + colour;
  }
}

// Returns the commands for the title and for the legend below it. Gnuplot itself would put the
// title below the legend, so these commands write the title as a line of the legend. Square panels
// need a fixed top margin.
std::string heading(const Panel& panel) {
  const std::string title = quoted(panel.title);
  if (!panel.legend) return "unset key\nset title " + title + "\n";
  const std::string place = panel.square
                                ? "set tmargin 5\nset key at graph 0.5, graph 1.02 bottom vertical"
                                : "set tmargin -1\nset key tmargin horizontal";
  return "unset title\n" + place + " center nobox samplen 3.5 title " + title + "\n";
}

// Returns the command for the range of an axis. Without limits, the axis ends at a tick mark if
// `extend` is true. Otherwise it ends where the curves end.
std::string range(const char* axis, const std::optional<Range>& limits, bool extend) {
  const std::string name = std::string("set ") + axis + "range ";
  if (!limits) return name + (extend ? "[*:*] extend\n" : "[*:*] noextend\n");
  return name + "[" + number(limits->low) + ":" + number(limits->high) + "]\n";
}

std::string scale(const char* axis, bool logarithmic) {
  if (!logarithmic)
    return std::string("unset logscale ") + axis + "\nset format " + axis + " \"%g\"\n";
  return std::string("set logscale ") + axis + "\nset format " + axis + " \"10^{%T}\"\n";
}

std::string panel_script(const Panel& panel, std::size_t place) {
  std::string out;
  std::string plot = "plot ";
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const std::string name = "$p" + std::to_string(place) + "c" + std::to_string(i);
    out += data_block(panel.curves[i], name);
    plot += (i == 0 ? "" : ", ") + name + " " + style(panel.curves[i]);
    plot += panel.curves[i].title.empty() ? " notitle" : " title " + quoted(panel.curves[i].title);
  }
  out += "set xlabel " + quoted(panel.x_label) + "\n";
  out += "set ylabel " + quoted(panel.y_label) + "\n";
  out += range("x", panel.x_range, panel.x_logarithmic) + range("y", panel.y_range, true);
  out += scale("x", panel.x_logarithmic) + scale("y", panel.y_logarithmic);
  out += panel.square ? "set size ratio -1\n" : "set size noratio\n";
  return out + heading(panel) + plot + "\n";
}

std::string terminal(const Chart& chart, PictureFormat format) {
  const int columns = chart.columns;
  const int rows = (static_cast<int>(chart.panels.size()) + columns - 1) / columns;
  const bool many = chart.panels.size() > 1;
  const int width = many ? kPanelWidth * 2 / 3 * columns : kPanelWidth;
  const int height = many ? kPanelHeight * (columns == 1 ? 7 : 9) / 10 * rows + 50 : kPanelHeight;
  const std::string size =
      std::to_string(std::max(width, kPanelWidth)) + "," + std::to_string(height);
  const char* const name = format == PictureFormat::svg ? "svg" : "pngcairo";
  return std::string("set terminal ") + name + " enhanced font \"DejaVu Sans,13\" size " + size +
         " background rgb \"white\"\n";
}

std::string in_words(int error) { return std::strerror(error); }

// Reads a pipe to its end.
std::string read_all(int pipe) {
  std::string out;
  std::array<char, 1 << 16> chunk;
  for (ssize_t got = 1; got != 0;) {
    got = read(pipe, chunk.data(), chunk.size());
    if (got < 0 && errno != EINTR) break;
    if (got > 0) out.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return out;
}

// Runs gnuplot with the script as its input, and returns its output. Gnuplot writes to a pipe and
// not to a file, because it reports no error when a disk is full.
Result<std::string> run_gnuplot(int script) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return error_of("gnuplot");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  char program[] = "gnuplot";
  char* arguments[] = {program, nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, program, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string picture = error == 0 ? read_all(ends[0]) : "";
  close(ends[0]);
  if (error != 0) {
    return Error{"gnuplot: " + in_words(error) + "; install it (Debian: gnuplot-nox)"};
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return picture;
  return Error{"gnuplot failed; is it version 5.4 or later?"};
}

// Writes the text to a temporary file and removes its name. Returns the open file descriptor, set
// to the start of the file. The caller closes it.
Result<int> temporary_file(const std::string& text) {
  std::string name = (std::filesystem::temp_directory_path() / "orrery-plot-XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file < 0) return error_of("temporary file");
  unlink(name.c_str());
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const Error error = error_of("temporary file");
      close(file);
      return error;
    }
    done += static_cast<std::size_t>(written);
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

}  // namespace

std::string gnuplot_script(const Chart& chart, PictureFormat format) {
  ORRERY_ASSERT(!chart.panels.empty() && chart.columns >= 1);
  std::string out = "set encoding utf8\n" + terminal(chart, format);
  out += "set border 3 lw 1.2 lc rgb \"#404040\"\nset tics nomirror\n";
  out += "set grid lc rgb \"#DDDDDD\" lt 1 lw 0.8\nset clip two\n";
  const bool many = chart.panels.size() > 1;
  if (many) {
    // The empty line keeps the chart's title apart from the first row of panels.
    const int count = static_cast<int>(chart.panels.size());
    const int rows = (count + chart.columns - 1) / chart.columns;
    out += "set multiplot layout " + std::to_string(rows) + "," + std::to_string(chart.columns) +
           " title " + quoted(chart.title) + ".\"\\n\" font \"DejaVu Sans,16\"\n";
  }
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    Panel panel = chart.panels[i];
    if (!many) panel.title = chart.title;
    out += panel_script(panel, i);
  }
  return many ? out + "unset multiplot\n" : out;
}

Result<PictureFormat> picture_format(const std::string& path) {
  if (path.ends_with(".svg")) return PictureFormat::svg;
  if (path.ends_with(".png")) return PictureFormat::png;
  return Error{printable(path) + ": must end in .svg or .png"};
}

Result<std::string> draw(const Chart& chart, PictureFormat format) {
  const Result<int> script = temporary_file(gnuplot_script(chart, format));
  if (!script) return script.error();
  Result<std::string> picture = run_gnuplot(script.value());
  close(script.value());
  return picture;
}

}  // namespace orrery::plot
