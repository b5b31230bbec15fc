# Lists the lines that a verb may print on stderr when it succeeds.
from orrery_server import BINARIES

# A report has no film if the page was not built.
WITHOUT_PAGE = ("" if (BINARIES.parent / "share/orrery/web/film.html").exists()
                else r", without the logs: \S+: cannot be read: .*; build the page .*")

NOTES = {"--break": r"orrery: --break (?:added|exchanged|ignored) .* tick \d+\n",
         "--report": r"orrery: (?:wrote [^\s,]+" + WITHOUT_PAGE +
                     r"|no difference to show, so \S+ was not written)\n"}


def notes_of(words):
    """Returns the expression that stderr must match: one line for each of these options."""
    return r"\A" + "".join(note for option, note in NOTES.items() if option in words) + r"\Z"
