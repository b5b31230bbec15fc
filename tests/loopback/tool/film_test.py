#!/usr/bin/env python3
# Tests `orrery film`: a page in one file that has the bytes of the log, and needs nothing else.
"""usage: film_test.py FOLDER_OF_PROGRAMS"""

import base64
import gzip
import hashlib
import html.parser
import shutil
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/../support")
from orrery_cli import BINARIES, ORRERY, ROOT, Cli

GOLDEN = ROOT / "tests" / "golden" / "logs"
BUILT = BINARIES.parent / "share/orrery/web/film.html"
MARK = "<!-- orrery film -->\n"
EMPTY = f"<html><body>\n{MARK}<footer></footer>\n{MARK}<script>start()</script>\n</body></html>\n"
VOID = {"meta", "link", "input", "br", "img"}
TYPE = "application/x-orrery-"


class Page(html.parser.HTMLParser):
    """The scripts of a page, by type, and its content policy. Checks that every element is
    closed."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.scripts, self.policy, self.addresses = [], [], "", []
        self.frames = []
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.addresses += [value for name, value in attrs if name in ("src", "href")]
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "iframe":
            self.frames.append(attributes)
        if tag == "script":
            self.scripts.append((attributes, ""))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)

    def logs(self):
        """Returns (number of the log, its name, bytes of a segment), in the order of the page."""
        return [(int(attributes["data-log"]), attributes["data-name"],
                 base64.b64decode(text, validate=True))
                for attributes, text in self.scripts if attributes.get("type") == TYPE + "log"]


class Film(Cli):
    def install(self, film):
        """Installs the tool with a film. Returns the path of the program."""
        program = self.folder / "installed/bin/orrery"
        web = self.folder / "installed/share/orrery/web"
        program.parent.mkdir(parents=True)
        web.mkdir(parents=True)
        shutil.copy(ORRERY, program)
        if film is not None:
            (web / "film.html").write_text(film)
        return program

    def film(self, program, *arguments, code=0):
        done = subprocess.run([program, "film", *arguments], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def page(self, name="film.html"):
        return Page((self.folder / name).read_text())

    def test_it_has_the_bytes_of_the_log(self):
        program = self.install(EMPTY)
        log = self.record(ticks=90)
        done = self.film(program, log, "-o", "film.html")
        self.assertRegex(done.stdout, r"\Afilm.html: 90 ticks, \d+ kB\n\Z")
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.page().logs(), [(0, log.name, log.read_bytes())])
        text = (self.folder / "film.html").read_text()
        self.assertNotIn(MARK, text)
        self.assertLess(text.index("<footer>"), text.index(TYPE + "log"))
        self.assertLess(text.index(TYPE + "log"), text.index("start()"))

    def test_bytes_of_every_length(self):
        program = self.install(EMPTY)
        log = self.record(ticks=30)
        whole = log.read_bytes()
        for cut in range(1, 4):  # a torn log is no fault
            torn = self.write("torn.orrery", whole[:-cut])
            self.film(program, torn, "-o", "film.html")
            self.assertEqual(self.page().logs(), [(0, "torn.orrery", whole[:-cut])])

    def test_it_has_all_segments(self):
        program = self.install(EMPTY)
        plain = GOLDEN / "rules-20-format-8-given-up.orrery"
        self.film(program, plain, "-o", "film.html")
        segments = [plain.read_bytes(), plain.with_name(plain.name + ".0001").read_bytes()]
        self.assertEqual([content for _, _, content in self.page().logs()], segments)

    def test_packed_segments_are_unpacked(self):
        program = self.install(EMPTY)
        packed = GOLDEN / "rules-20-format-8-packed.orrery"
        self.film(program, packed, "-o", "film.html")
        for end, (_, _, content) in zip(("", ".0001"), self.page().logs()):
            self.assertEqual(content[:8], b"ORRERYLG")
            self.write("unpacked" + end, content)
        expected = self.json("verify", packed)
        found = self.json("verify", "unpacked")
        for field in ("ticks", "verified", "hash", "segments"):
            self.assertEqual(found[field], expected[field], field)

    def test_names_do_no_harm(self):
        program = self.install(EMPTY)
        name = 'a"><script>b&.orrery'
        self.write(name, self.record(ticks=9).read_bytes())
        self.film(program, name, "-o", "film.html")
        self.assertEqual([log[1] for log in self.page().logs()], [name])

    def test_faults_are_one_line(self):
        program = self.install(EMPTY)
        log = self.record(ticks=200)
        for arguments, says in ((("none", "-o", "a.html"), "none: cannot be read"),
                                ((log, "-o", "a.orrery"), "-o: a.orrery must end in .html"),
                                ((log, "-o", "no/a.html"), "-o: no/a.html: cannot be written"),
                                ((log,), "-o")):
            done = self.film(program, *arguments, code=2)
            self.assertIn(says, done.stderr)
            self.assertEqual((done.stderr.count("\n"), done.stdout), (1, ""))
        damaged = bytearray(log.read_bytes())
        damaged[-1000] ^= 255  # in the records: the header holds the whole scene
        done = self.film(program, self.write("b.orrery", bytes(damaged)), "-o", "b.html", code=1)
        self.assertIn("damaged", done.stderr)
        self.assertEqual(self.page("b.html").logs(), [(0, "b.orrery", bytes(damaged))])
        old = GOLDEN / "rules-6-format-4.orrery"
        self.assertIn("recorded under rules 6", self.film(program, old, "-o", "a.html").stderr)

    def test_the_film_must_be_installed(self):
        log = self.record(ticks=9)
        program = self.install(None)
        says = self.film(program, log, "-o", "a.html", code=2).stderr
        self.assertRegex(says, r"\Aorrery: .*web/film.html: cannot be read: .*; build the page ")
        for other in ("<html>", MARK, 3 * MARK):
            (self.folder / "installed/share/orrery/web/film.html").write_text(other)
            says = self.film(program, log, "-o", "a.html", code=2).stderr
            self.assertIn("is of another build", says)
        self.assertFalse((self.folder / "a.html").exists())

    def diff(self, program, *arguments):
        done = subprocess.run([program, "diff", *arguments, "--report", "film.html"],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr

    def test_a_report_is_a_film_of_both_logs(self):
        a = self.record(ticks=90)
        b = self.folder / "b.orrery"
        self.succeed("fork", a, "--at", 40, "--set", "gravity=0,0,0", "-o", b)
        program = self.install(EMPTY)
        self.assertEqual(self.diff(program, a, b), "orrery: wrote film.html\n")
        self.assertEqual(self.page().logs(),
                         [(0, a.name, a.read_bytes()), (1, b.name, b.read_bytes())])
        logs = [attributes for attributes, _ in self.page().scripts if "data-log" in attributes]
        self.assertEqual([each["data-tick"] for each in logs], ["40", "40"])
        [frame] = self.page().frames
        report = frame.pop("srcdoc")
        self.assertEqual(frame, {"title": "Report", "sandbox": None})
        self.assertIn("<h1>Divergence at tick 41</h1>", report)
        (self.folder / "installed/share/orrery/web/film.html").unlink()
        self.assertIn("wrote film.html, without the logs: ", self.diff(program, a, b))
        self.assertEqual((self.folder / "film.html").read_text(), report)

    def test_a_hostile_name_stays_in_the_report(self):
        a = self.record(ticks=90)
        b = self.folder / '"><script>reached()<&script>.orrery'
        self.succeed("fork", a, "--at", 40, "--set", "gravity=0,0,0", "-o", b)
        program = self.install(EMPTY)
        self.diff(program, a, b)
        [frame] = self.page().frames
        self.assertEqual(set(frame), {"title", "sandbox", "srcdoc"})
        self.assertNotIn("<script>reached", frame["srcdoc"])
        scripts = [text for attributes, text in self.page().scripts if not attributes]
        self.assertEqual(scripts, ["start()"])

    @unittest.skipUnless(BUILT.exists(), "the page was not built")
    def test_the_real_film_needs_nothing_else(self):
        log = self.record(ticks=90)
        self.succeed("film", log, "-o", "film.html")
        page = self.page()
        self.assertEqual([content for _, _, content in page.logs()], [log.read_bytes()])
        [start] = [text for attributes, text in page.scripts if not attributes]
        digest = base64.b64encode(hashlib.sha256(start.encode()).digest()).decode()
        self.assertIn(f"script-src 'sha256-{digest}' blob: 'wasm-unsafe-eval';", page.policy)
        self.assertTrue(page.policy.startswith("default-src 'none';"), page.policy)
        self.assertTrue(all(each.startswith("data:") for each in page.addresses), page.addresses)
        packed = {attributes["type"]: text for attributes, text in page.scripts if attributes}
        module = gzip.decompress(base64.b64decode(packed[TYPE + "module"]))
        self.assertEqual(module[:8], b"\0asm\1\0\0\0")
        self.assertLess((self.folder / "film.html").stat().st_size, 792_000)


if __name__ == "__main__":
    unittest.main()
