// Finds the installed page.
#include "common/host/disk/page_folder.h"

#include <dlfcn.h>
#include <sys/auxv.h>

#include <filesystem>
#include <system_error>

namespace orrery::host {
namespace {

// Returns the path of the shared library or program that has this code. A library may be loaded by
// any program, such as python3. The name that the linker has for a program is only argv[0].
std::filesystem::path this_object(std::error_code& error) {
  Dl_info here{};
  Dl_info program{};
  const bool found = dladdr(reinterpret_cast<const void*>(&page_folder), &here) != 0;
  dladdr(reinterpret_cast<const void*>(getauxval(AT_PHDR)), &program);
  if (found && here.dli_fbase != program.dli_fbase)
    return std::filesystem::canonical(here.dli_fname, error);
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

}  // namespace

std::string page_folder() {
  std::error_code error;
  const auto object = this_object(error);
  if (error) return "";
  const auto prefix = object.parent_path().parent_path();
  const auto page = prefix / "share/orrery/web";
  // A library may lie in PREFIX/lib/x86_64-linux-gnu.
  const auto outer = prefix.parent_path() / "share/orrery/web";
  return (!exists(page, error) && exists(outer, error) ? outer : page).string();
}

}  // namespace orrery::host
