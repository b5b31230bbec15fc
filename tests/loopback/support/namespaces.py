# Runs a test in new network namespaces, where it may make addresses and links.
import os
import shutil
import subprocess
import sys

MARK = "ORRERY_NAMESPACES"
SKIPPED = 77


def sh(*command):
    subprocess.run(command, check=True)


def is_inside():
    """Returns true in the run of the test that has namespaces."""
    return MARK in os.environ


def enter(test):
    """Runs a test file again in namespaces, and returns its exit code. As root or as an ordinary
    user: if this machine permits neither, or has no `ip` or `unshare`, the test is skipped."""
    if all(map(shutil.which, ("ip", "unshare", "nsenter", "mount"))):
        for flags in (["--net", "--mount"], ["--user", "--map-root-user", "--net", "--mount"]):
            command = ["unshare", *flags]
            probe = ("mount -t tmpfs none /run && ip netns add a && "
                     "ip link add probe type veth peer name probe netns a")
            if subprocess.run([*command, "sh", "-c", probe], capture_output=True).returncode == 0:
                again = [*command, sys.executable, test, *sys.argv[1:]]
                return subprocess.run(again, env={**os.environ, MARK: "1"}).returncode
    print("skipped: this machine does not permit network namespaces")
    return SKIPPED
