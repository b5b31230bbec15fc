#!/usr/bin/env python3
# Tests the commands of the pages on a new minimal Debian 12, so that no package is needed that only
# a developer has. Takes an hour on two cores. Needs root, debootstrap and the mirror of apt.
"""usage: fresh_machine_test.py"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
RELEASE = "bookworm"
CERTIFICATES = "NODE_EXTRA_CA_CERTS"
CLONE = "/root/clone"
# The scripts reach the clone through a link, so that no script or test needs the real path. The
# commands of the pages have the real path, as cmake would compile everything again for another one.
LINK = "/root/linked"

# Prints the time of the last change of each object of the programs.
OBJECTS = "find build/CMakeFiles build/client/api -name '*.o' -printf '%p %T@\\n' | sort"


def blocks(page):
    """Returns the language and the text of each code block of a page."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)


def block(page, language):
    """Returns the first code block of a page in this language."""
    return next(text for name, text in blocks(page) if name == language)


def commands_with(page, word):
    """Returns the commands of the first code block of a page that has the word, without their
    comments."""
    return re.sub(r" +#.*", "", next(text for name, text in blocks(page)
                                     if name in ("", "sh") and word in text))


def user_program(page, name, source):
    """Returns the script of a user who follows a page: it builds a program in a new folder."""
    configure = [line for line in commands_with(page, "cmake -S . -B build").splitlines()
                 if line.startswith("cmake ")]
    return (f"mkdir ~/{name}; cd ~/{name}\n"
            f"cat > CMakeLists.txt <<'END'\n{block(page, 'cmake')}END\n"
            f"cat > {source} <<'END'\n{block(page, 'cpp')}END\n" +
            "\n".join(configure) + "\n")


def scripts():
    """Returns the name and the text of each script, in the order in which they run."""
    readme = (ROOT / "README.md").read_text()
    for command in ("server/demo", "tests/run"):
        assert f"`{command}`" in readme, f"the README does not name {command}"
    yield "demo", f"cd {LINK}\nserver/demo\n{OBJECTS} > ~/objects\n"
    yield "library", (f"cd {CLONE}\n" + commands_with("common/LIBRARY.md", "--install") +
                      user_program("common/LIBRARY.md", "mine", "mine.cpp") + "build/mine\n")
    yield "binding", (f"cd {CLONE}\n" + commands_with("client/BINDING.md", "--install") +
                      "cp client/examples/world.c ~\ncd\n"
                      "cc -std=c99 world.c $(pkg-config --cflags --libs orrery) -o world\n"
                      "./world\n")
    yield "guide", (f"cd {CLONE}\n" + commands_with("client/GUIDE.md", "--install") +
                    user_program("client/GUIDE.md", "grab", "grab.cpp"))
    yield "tests", (f"cd {LINK}\ntests/run\n{OBJECTS} > ~/objects-after\n"
                    "[ -e build/share/orrery/web/film.html ] || { echo no page; exit 1; }\n"
                    "join -t ' ' ~/objects ~/objects-after | awk '$2 != $3' > ~/again\n"
                    "[ ! -s ~/again ] || { echo compiled twice:; cat ~/again; exit 1; }\n")


def mirror():
    """Returns the mirror of this machine for the release."""
    said = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)",
                           "Identifier: Packages"], capture_output=True, text=True, check=False)
    sites = [line.split()[0] for line in said.stdout.splitlines() if line.endswith(f" {RELEASE}")]
    return (sites or ["http://deb.debian.org/debian"])[0]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def make_machine(folder):
    """Makes the machine, with what a newcomer has: git, certificates and a clone."""
    made = subprocess.run(["debootstrap", "--variant=minbase", "--include=git,ca-certificates",
                           RELEASE, folder, mirror()], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        skip("debootstrap failed: " + (made.stdout + made.stderr).strip().splitlines()[-1])
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, f"{folder}{CLONE}"],
                   check=True)
    os.symlink(CLONE, f"{folder}{LINK}")


def trusted(folder):
    """Gives the machine the certificates that npm trusts here, as behind a company's proxy. Returns
    the words for env."""
    file = os.environ.get(CERTIFICATES)
    if not file:
        return ""
    shutil.copy(file, folder / "root" / "certificates")
    return f"{CERTIFICATES}=/root/certificates "


def run_inside(folder, name, script):
    """Runs a script on the machine, in its own mounts and processes."""
    (folder / "script").write_text("set -eo pipefail\n" + script)
    inside = ("mount --make-rprivate /; for at in dev sys; do mount --rbind /$at $0/$at; done; "
              "mount -t proc proc $0/proc; exec chroot $0 /usr/bin/env -i HOME=/root "
              "LANG=C.UTF-8 " + trusted(folder) +
              "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "
              "bash /script </dev/null")
    print(f"--- {name}", flush=True)
    done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec",
                           inside, folder], check=False)
    assert done.returncode == 0, f"{name} failed with code {done.returncode}"


def main():
    if os.geteuid() != 0:
        skip("a new root folder needs root")
    if not shutil.which("debootstrap"):
        skip("debootstrap is not installed")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="orrery-machine-"))
    folder.chmod(0o755)  # other users of the machine can read its root folder
    try:
        make_machine(folder)
        for name, script in scripts():
            run_inside(folder, name, script)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
