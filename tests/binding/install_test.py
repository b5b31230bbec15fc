#!/usr/bin/env python3
# Tests the installed C header from another folder: C, C++, CMake, Python, C# and Lua.
"""usage: install_test.py BUILD_FOLDER"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "client" / "examples"
SERVER_EXAMPLES = ROOT / "server" / "examples"
SCENE, TICKS = "playground", 1000

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(mine LANGUAGES C)
find_package(orrery 0.2 REQUIRED)
add_executable(shared world.c)
target_link_libraries(shared orrery::c)
add_executable(static world.c)
target_link_libraries(static orrery::c_static)
add_executable(shared_server goals.c)
target_link_libraries(shared_server orrery::server)
add_executable(static_server goals.c)
target_link_libraries(static_server orrery::server_static)
"""

PYTHON = """import os
import shutil
import tempfile
import numpy
import orrery
world = orrery.World("{scene}")
batch = orrery.WorldBatch("boxes:3", 4)
for tick in range({ticks}):
    world.step()
batch.step(ticks=5)
x, y, z = world.read()[0, :3]
print(f"tick {{world.info['tick']}} hash 0x{{world.info['hash']:016x}}")
print(f"body 0 at {{x:.3f}}, {{y:.3f}}, {{z:.3f}}")
assert len({{int(each.info["hash"]) for each in batch.worlds}}) == 1
assert batch.read().shape == (4, batch.worlds[0].info["bodies"], 6)
first, second = orrery.Env("{scene}", 2), orrery.Env("{scene}", 2)
assert first.np_random_seed != second.np_random_seed
first.reset(seed=7)
drawn = [first.np_random.random() for _ in range(4)]
assert first.np_random_seed == 7 and drawn == list(numpy.random.default_rng(7).random(4))
first.reset(seed=7)
assert first.np_random.random() == drawn[0]
first.reset()
assert first.np_random_seed == 7 and first.np_random.random() == drawn[1]
second.reset(seed=8)
assert second.np_random.random() != drawn[0]
log = orrery.Log("{log}")
assert log.verify()["verified"] == log.info["last_tick"] == sum(1 for _ in log)
assert log.seek(10).info["tick"] == 10 and log.world().info["tick"] == 0
with tempfile.TemporaryDirectory() as folder:
    odd = os.path.join(folder, os.fsdecode(b"not utf-8 \\xff"))
    shutil.copy("{log}", odd)
    assert orrery.Log(odd).info["last_tick"] == log.info["last_tick"]
try:
    world.restore(b"nothing")
except orrery.Error as error:
    print("refused:", error)
"""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **options)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def golden_hash():
    lines = (ROOT / "tests" / "golden" / "hashes.txt").read_text()
    return re.search(rf"^{SCENE} {TICKS} (\w+)$", lines, re.M)[1]


def check_place(said, axes):
    """Checks the hash, and returns the position of body 0 in Orrery's axes and metres."""
    assert f"tick {TICKS} hash {golden_hash()}" in said, said
    a, b, c = map(float, re.search(r"body 0 at (\S+), (\S+), (\S+)", said).groups())
    return {"own": (a, b, c), "unity": (a, b, -c), "unreal": (a / 100, c / 100, b / 100)}[axes]


def check_server(folder, prefix, strict):
    """Builds goals.c as check_c() does, and goals.cpp. Each serves a hundred ticks."""
    env = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    shared = run("pkg-config", "--cflags", "--libs", "orrery-server", env=env).split()
    static = run("pkg-config", "--static", "--cflags", "--libs", "orrery-server", env=env).split()
    static = ["-l:liborrery-server.a" if word == "-lorrery-server" else word for word in static]
    source = folder / "goals.c"
    run("gcc", *strict, source, *shared, f"-Wl,-rpath,{prefix}/lib", "-o", folder / "serve_shared")
    run("gcc", *strict, source, *static, "-o", folder / "serve_static")
    cpp = ["-std=c++20", "-Wall", "-Wextra", "-pedantic", "-Werror", SERVER_EXAMPLES / "goals.cpp"]
    run("g++", *cpp, *shared, f"-Wl,-rpath,{prefix}/lib", "-o", folder / "serve_cpp")
    for program in ("serve_shared", "serve_static", "serve_cpp", "build/shared_server",
                    "build/static_server"):
        log = folder / (program.replace("/", "-") + ".log")
        run(folder / program, "--scene", SERVER_EXAMPLES / "goals.json", "--ticks", "100",
            "--listen", "127.0.0.1:0", "--log", log)
        assert "100 ticks verified" in run(prefix / "bin" / "orrery", "verify", log)


def check_c(folder, prefix):
    """Builds with pkg-config and with CMake, each with the shared and the static library."""
    env = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    shared = run("pkg-config", "--cflags", "--libs", "orrery", env=env).split()
    static = run("pkg-config", "--static", "--cflags", "--libs", "orrery", env=env).split()
    static = ["-l:liborrery.a" if word == "-lorrery" else word for word in static]
    assert "-DORRERY_STATIC" in static, static
    source = folder / "world.c"
    shutil.copy(EXAMPLES / "world.c", source)
    shutil.copy(SERVER_EXAMPLES / "goals.c", folder)
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    run("gcc", *strict, source, *shared, f"-Wl,-rpath,{prefix}/lib", "-o", folder / "by_shared")
    run("gcc", *strict, source, *static, "-o", folder / "by_static")
    (folder / "CMakeLists.txt").write_text(CMAKE)
    run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder / "build")
    said = {run(program) for program in (folder / "by_shared", folder / "by_static",
                                         folder / "build/shared", folder / "build/static")}
    check_server(folder, prefix, strict)
    assert len(said) == 1 and "2 of 2 commands did something" in said.pop(), said
    cpp = ["-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror"]
    run("g++", *cpp, EXAMPLES / "engine.cpp", *shared, f"-Wl,-rpath,{prefix}/lib", "-o",
        folder / "engine")
    return check_place(run(folder / "engine", SCENE), "unreal")


def check_scripts(folder, prefix):
    """Runs Python, C# and Lua, and yields where they see body 0."""
    library = prefix / "lib" / "liborrery.so.0.2"
    env = {**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib"),
           "PYTHONPATH": str(prefix / "share" / "orrery" / "python")}
    log = ROOT / "tests" / "golden" / "logs" / "rules-20-format-8.orrery"
    said = run("/usr/bin/python3", "-c", PYTHON.format(scene=SCENE, ticks=TICKS, log=log), env=env)
    assert "refused: " in said, said
    yield check_place(said, "own")
    said = run("/usr/bin/python3", EXAMPLES / "train.py", "50", "100", env=env)
    start, end = map(float, re.search(r"(\S+) at first, (\S+) at the end", said).groups())
    assert end < start / 10, said
    run("mcs", "-unsafe", EXAMPLES / "World.cs", f"-out:{folder / 'World.exe'}")
    said = run("mono", folder / "World.exe", SCENE, str(TICKS), env=env)
    assert "refused: there is no such built-in scene" in said, said
    yield check_place(said, "unity")
    said = run("luajit", EXAMPLES / "world.lua", prefix / "include" / "orrery.h", library, SCENE,
               TICKS)
    assert "there is no such built-in scene" in said, said
    yield check_place(said, "unreal")


def main(build):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = folder / "prefix"
        run("cmake", "--install", build, "--prefix", prefix)
        places = [check_c(folder, prefix), *check_scripts(folder, prefix)]
        for place in places:
            assert all(abs(a - b) < 2e-3 for a, b in zip(place, places[1])), places
    print(f"{len(places)} languages: the same hash, and body 0 in the same place")


if __name__ == "__main__":
    main(sys.argv[1])
