# Sets up a Debian 12 machine and builds Orrery. Sourced by server/demo, tests/run and .ci/run.

# Packages, grouped by the task that needs them.
readonly BUILD_PACKAGES=(
  cmake g++ ninja-build pkg-config
  make                                     # programs of users: cmake -S . -B build
  flatbuffers-compiler libflatbuffers-dev  # schemas
  libboost1.81-dev                         # timer of the server
  libcli11-dev libtomlplusplus-dev         # command lines and configuration files
  libfmt-dev libspdlog-dev                 # logging
  libhwy-dev                               # SIMD
  libpng-dev                               # pictures of orrery draw
  libsodium-dev                            # encryption, random bytes
  libsystemd-dev                           # reporting readiness to systemd
  libxxhash-dev                            # checksums
  libzstd-dev                              # closed log segments
  tao-pegtl-dev                            # reading JSON; headers only
  zlib1g-dev                               # files of the page
)
readonly PAGE_PACKAGES=(
  clang-14 lld-14 wasi-libc libc++-14-dev-wasm32 libc++abi-14-dev-wasm32
  libclang-rt-14-dev-wasm32 nodejs         # WebAssembly toolchain and runtime
  binaryen zopfli                          # smaller modules; smaller files by gzip
)
readonly TEST_PACKAGES=(
  python3
  python3-flatbuffers python3-nacl         # the client in client/examples
  libgtest-dev
  chromium                                 # the page in a browser
  abigail-tools                            # comparison of the ABI of the C header
  python3-numpy mono-mcs luajit            # bindings of the C header
  libsdl2-dev                              # the window of client/examples/throw.c
  gnuplot-nox                              # figures of orrery lab
  libmpfr-dev                              # exact values of elementary functions
  clang libclang-rt-14-dev                 # second compiler, with its sanitizers and fuzzer
  clang-format
  iproute2                                 # ip, for tests in network namespaces
  systemd                                  # systemd-analyze, to check the unit
)
readonly CROSS_PACKAGES=(
  qemu-user-static
  g++-aarch64-linux-gnu g++-riscv64-linux-gnu
)
readonly MATRIX_PACKAGES=(
  libbullet-dev libode-dev libenet-dev     # other engines for comparison in benchmarks
  g++-i686-linux-gnu g++-s390x-linux-gnu g++-powerpc64le-linux-gnu g++-arm-linux-gnueabihf
  debootstrap                              # a new Debian for fresh_machine
  firefox-esr
  libjavascriptcoregtk-4.0-bin             # jsc, the shell of JavaScriptCore
)

say() { printf '%s\n' "$*"; }

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 2
}

# Runs a command as root, with sudo if necessary.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "installing packages needs root or sudo; or install them by hand: ${missing[*]}"
  fi
}

# Installs the missing packages and prints their names. Prints nothing if none is missing.
install_packages() {
  command -v dpkg-query >/dev/null || fail "this set-up knows Debian 12 only; packages: $*"
  local present missing=() package
  # dpkg-query fails if one of the packages is unknown.
  present=$({ dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null || true; } |
    sed -n 's/^ii  *//p')
  for package in "$@"; do
    grep -qxF "$package" <<<"$present" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing: ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update </dev/null ||
    fail "apt-get update failed; see above"
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends "${missing[@]}" \
    </dev/null >/dev/null || fail "apt-get install failed; see above"
}

# Installs the packages from npm that the page needs, as client/web/package-lock.json lists them.
# The build leaves the page out if this fails, for example without a network.
install_page() {
  local lock=$root/client/web/package-lock.json
  install_packages "${PAGE_PACKAGES[@]}"
  # The nodejs of Debian has npm in a package of its own. Others contain it.
  command -v npm >/dev/null || install_packages npm
  cmp -s "$lock" "$root/client/web/node_modules/installed.json" && return
  say "installing the packages of the page"
  if npm ci --prefix "$root/client/web" --ignore-scripts --no-audit --no-fund --silent; then
    cp "$lock" "$root/client/web/node_modules/installed.json"
  else
    say "npm failed, so there will be no page"
  fi
}

# Configures build/ with the given CMake options. Warnings are errors for every caller: a caller
# with other flags would compile everything again.
configure() {
  local said
  said=$(cmake --preset default -DORRERY_WERROR=ON "$@" 2>&1) || {
    say "$said" >&2
    fail "configuring failed; see above"
  }
}

# Prints the expected time of a first build, unless the program already exists.
announce_first_build() {
  [ -e "$root/build/bin/$1" ] || say "building for the first time: about $2 on two cores"
}

# Builds the given targets, or everything if none is given, on all cores.
build() {
  local targets=()
  [ $# = 0 ] || targets=(--target "$@")
  cmake --build "$root/build" --parallel "$(nproc)" "${targets[@]}" ||
    fail "building failed; see above"
}
