# SPDX-License-Identifier: GPL-3.0-or-later
"""Is a page whole, does it load nothing, and is every number on it one of the JSON's?

	page.py index.html RESULT.json...

Every number with data-v must be in one of the results and be shown rounded, not otherwise; tags must nest;
nothing may be fetched; what results say may only be text.
"""
import html.parser
import json
import math
import re
import sys

UNITS = {"%": 1e-2, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12, "/s": 1, "": 1}
VOID = {"meta", "link", "br", "rect", "path", "circle", "use", "feflood", "fecomposite", "polygon", "polyline"}


def numbers(value, into):
    """All numbers of a JSON value; units are looked for by hand below."""
    if isinstance(value, dict):
        for v in value.values():
            numbers(v, into)
    elif isinstance(value, list):
        for v in value:
            numbers(v, into)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        into.add("%.12g" % value)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.bad, self.shown, self.ids = [], [], [], set()
        self.exact = None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        for name, value in attrs.items():
            if name.startswith("on"):
                self.bad.append("a handler: %s=%s" % (name, value))
            if name in ("src", "href", "xlink:href") and re.match(r"[a-z]+:|//", value) and value != "data:,":
                self.bad.append("it would fetch %s" % value)
        if "id" in attrs:
            if attrs["id"] in self.ids:
                self.bad.append("id %s stands twice" % attrs["id"])
            self.ids.add(attrs["id"])
        if tag in ("iframe", "object", "embed", "img", "form", "foreignobject"):
            self.bad.append("<%s>" % tag)
        if tag not in VOID:
            self.open.append(tag)
        self.exact = attrs.get("data-v")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.bad.append("</%s> closes something else, line %d" % (tag, self.getpos()[0]))

    def handle_data(self, data):
        if self.exact is not None:
            self.shown.append((self.exact, data.strip()))
        self.exact = None


def rounded(exact, text):
    """Does the text show the number, in whatever unit, to its last digit?"""
    m = re.fullmatch(r"(-?[0-9.]+(?:e[+-]?[0-9]+)?)\s*(\S*)", text)
    if not m:
        return False
    digits, unit = m.groups()
    half = 0.5 * 10 ** -(len(digits.partition(".")[2])) if "e" not in digits else 10 ** (math.log10(abs(exact) + 1e-30) - 4)
    # of seconds, or of a number that is in ns
    scales = [UNITS[unit], 1e9 * UNITS[unit], 1] if unit in UNITS and unit else [1, 1e-2, 1e-3, 1e-6, 1e-9, 1e-12, 1e3, 1e6, 1e9]
    return any(abs(float(digits) - exact / s) <= half * 1.0001 + abs(exact / s) * 1e-11 for s in scales)


text = open(sys.argv[1], encoding="utf-8").read()
known = set()
for file in sys.argv[2:]:
    numbers(json.load(open(file, encoding="utf-8")), known)
page = Page()
page.feed(text)
if page.open:
    page.bad.append("left open: %s" % page.open)
if len(re.findall(r"<script", text)) != 1:
    page.bad.append("a script that is not the page's own")
for exact, shown in page.shown:
    if exact not in known:
        page.bad.append("%s (%s) is not in the JSON" % (exact, shown))
    elif not rounded(float(exact), shown):
        page.bad.append("%s is shown as %s" % (exact, shown))
if len(page.shown) < 3:
    page.bad.append("hardly any number")
for bad in page.bad[:20]:
    print("%s: %s" % (sys.argv[1], bad))
sys.exit(bool(page.bad))
