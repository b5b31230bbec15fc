# The lines on stderr of a verb that does what it was asked for.

NOTES = {"--break": r"orrery: --break (?:added|exchanged|ignored) .* tick \d+\n",
         "--report": r"orrery: (?:wrote \S+|no difference to show, so \S+ was not written)\n"}


def notes_of(words):
    """The expression that stderr must match: one line for each of these options, else nothing."""
    return r"\A" + "".join(note for option, note in NOTES.items() if option in words) + r"\Z"
