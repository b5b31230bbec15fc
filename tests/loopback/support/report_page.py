# Reads pages that --report wrote.
import html
import re


def report_of(page):
    """Returns the page of tables that --report wrote, without the film around it."""
    text = page.read_text()
    framed = re.search(r'srcdoc="([^"]*)"', text)
    return html.unescape(framed[1]) if framed else text
