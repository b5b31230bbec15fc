# Lists the rows of the determinism matrix.
import dataclasses
import pathlib

from flags import SLP_OFF

HERE = pathlib.Path(__file__).parent
STATIC = "-DHWY_COMPILE_ONLY_STATIC"  # compile for the one instruction set that the flags name
DRIFT = "common/physics/motion/drift.cpp"  # translation and rotation of bodies
WASM = {"compiler": ["clang++-14", "--target=wasm32-wasi"], "program_of": "wasm-node",
        "flags": ["-O2", "-DHWY_COMPILE_ONLY_SCALAR"],
        # The stack is first in memory, so an overflow traps instead of overwriting data. Without
        # -O0, clang would start the second optimizer, wasm-opt; WASM_SIMD has its result.
        "link": ["-O0", "-Wl,--stack-first", "-Wl,-z,stack-size=1048576"]}
WASM_SIMD = {"program": "build/bin/matrix_program.wasm"}  # the objects of orrery.wasm


@dataclasses.dataclass(frozen=True)
class Row:
    """A way of building and running matrix_program."""
    name: str
    group: str  # native, cross or browser; a control has the group of the tools that it needs
    target: str
    compiler: list = dataclasses.field(default_factory=list)
    flags: list = dataclasses.field(default_factory=list)
    link: list = dataclasses.field(default_factory=list)    # flags of the linker
    runner: list = dataclasses.field(default_factory=list)  # command before the program
    # common flags that this row does not use
    dropped: list = dataclasses.field(default_factory=list)
    # not empty: only these sources and the program are built with the flags, and linked with the
    # normal library
    faulty: list = dataclasses.field(default_factory=list)
    program: str = ""       # use this program of the build tree instead of building one
    program_of: str = ""    # use the program of this row
    threads: int = 0        # not 0: all ticks use so many threads
    browser: str = ""       # run in a page of this browser: chromium or firefox
    control: bool = False   # must differ: contains a fault that the matrix must detect
    cpu_flag: str = ""      # processor feature that `instructions`, or a control's fault, needs
    instructions: str = ""  # must occur in the machine code, or the row tests nothing new
    slow: bool = False      # a native row that runs only in tests/run --all and --soak
    ticks_max: int = 0      # not 0: compare hashes up to this tick, and those of one long run

    def label(self):
        """Returns the ctest label of the row."""
        return "native" if self.group == "native" and not self.slow else "slow"


def native(name, compiler, *flags, **more):
    return Row(name, "native", "x86-64", [compiler], [*flags, STATIC], **more)


def cross(name, target, prefix, emulator, *flags, **more):
    runner = [f"qemu-{emulator}-static"] if emulator else []
    return Row(name, "cross", target, [f"{prefix}-g++"], ["-O2", "-static", *flags, STATIC],
               runner=runner, **({"ticks_max": 150} | more if emulator else more))


def wasm(name, target, build):
    """Returns the rows that run one build in three engines: V8, SpiderMonkey, JavaScriptCore."""
    def row(host, group, **more):
        return Row(f"{name}-{host}", group, f"{target} in {host}", **build, **more)
    return [row("node", "cross", runner=["node", str(HERE / "run_node.mjs")]),
            row("jsc", "cross", runner=["jsc", str(HERE / "run_jsc.mjs"), "--"]),
            row("chromium", "browser", browser="chromium"),
            row("firefox", "browser", browser="firefox")]


ROWS = [
    # The current build: a library by g++ -O3, which chooses the instruction set at run time.
    Row("build", "native", "x86-64", program="build/bin/matrix_program"),
    *[Row(f"threads-{n}", "native", f"x86-64, {n} threads", program="build/bin/matrix_threads",
          threads=n) for n in (2, 3, 8, 16)],
    native("g++-O0", "g++", "-O0", slow=True, ticks_max=100),
    native("g++-O2", "g++", "-O2", slow=True),
    native("g++-native", "g++", "-O3", "-march=native", cpu_flag="avx512f", instructions="%zmm",
           slow=True),
    # The hardening of CMakeLists.txt, with the checks of the standard library everywhere.
    native("g++-hardened", "g++", "-O2", "-fstack-protector-strong", "-fcf-protection",
           "-D_FORTIFY_SOURCE=2", "-D_GLIBCXX_ASSERTIONS", slow=True),
    native("clang-O0", "clang++", "-O0", slow=True, ticks_max=100),
    native("clang-O2", "clang++", "-O2", slow=True),
    native("clang-O3", "clang++", "-O3", slow=True),
    native("clang-native", "clang++", "-O3", "-march=native", cpu_flag="avx512f",
           instructions="%zmm"),
    # Clang may vectorise straight-line code (SLP): unlike g++, it then keeps every rounding.
    native("clang-slp", "clang++", "-O3", "-march=native", dropped=[SLP_OFF], slow=True),
    # Uses the library of the fuzz preset. The sanitizers of g++ run in the tests of the asan
    # preset.
    Row("clang-sanitizers", "native", "x86-64, address and undefined",
        program="build-fuzz/bin/matrix_program", slow=True, ticks_max=100),

    # Four faults that the matrix must detect. Each is in one file, and the rest is the normal
    # library.
    native("control-contract", "g++", "-O2", "-march=native", "-ffp-contract=fast",
           dropped=["-ffp-contract=off"], faulty=[DRIFT], control=True, cpu_flag="fma",
           ticks_max=100),
    native("control-fast-math", "g++", "-O2", "-ffast-math", faulty=[DRIFT], control=True,
           ticks_max=100),
    native("control-reassociate", "clang++", "-O2", "-fassociative-math", "-freciprocal-math",
           "-fno-signed-zeros", "-fno-trapping-math", faulty=[DRIFT], control=True,
           ticks_max=100),
    native("control-libm", "g++", "-O2", faulty=["tests/determinism/control/elementary_libm.cpp"],
           control=True, ticks_max=100),

    cross("i686-sse", "i686, SSE", "i686-linux-gnu", None, "-msse2", "-mfpmath=sse"),
    cross("aarch64", "aarch64", "aarch64-linux-gnu", "aarch64", ticks_max=1000),
    cross("riscv64", "riscv64", "riscv64-linux-gnu", "riscv64", ticks_max=1000),
    cross("s390x", "s390x, big endian", "s390x-linux-gnu", "s390x", ticks_max=600),
    cross("ppc64el", "ppc64el", "powerpc64le-linux-gnu", "ppc64le"),
    cross("armhf", "armhf", "arm-linux-gnueabihf", "arm"),
    *wasm("wasm", "wasm32", WASM),
    *wasm("wasm-simd", "wasm32 with SIMD", WASM_SIMD),
    cross("control-x87", "i686, x87", "i686-linux-gnu", None, "-march=i686", "-mfpmath=387",
          control=True),
    cross("control-aarch64-contract", "aarch64", "aarch64-linux-gnu", "aarch64",
          "-ffp-contract=fast", dropped=["-ffp-contract=off"], control=True, ticks_max=100),
]
