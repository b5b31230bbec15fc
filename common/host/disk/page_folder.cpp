// Finds the installed page.
#include "common/host/disk/page_folder.h"

#include <filesystem>
#include <system_error>

namespace orrery::host {

std::string page_folder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : (program.parent_path().parent_path() / "share/orrery/web").string();
}

}  // namespace orrery::host
