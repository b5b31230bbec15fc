# Lists the lines that a verb may print on stderr when it succeeds.

NOTES = {"--break": r"orrery: --break (?:added|exchanged|ignored) .* tick \d+\n",
         "--report": r"orrery: (?:wrote \S+|no difference to show, so \S+ was not written)\n"}


def notes_of(words):
    """Returns the expression that stderr must match: one line for each of these options."""
    return r"\A" + "".join(note for option, note in NOTES.items() if option in words) + r"\Z"
