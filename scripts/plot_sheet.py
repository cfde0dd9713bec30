"""One picture: title, legend strip, panels, caption, laid out in inches so that nothing can overlap; and its files."""
import csv
import io
import os
import re
from xml.sax.saxutils import escape

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

import plot_style as style

PNG_DPI = 160
MARGIN, LINE, CAPTION_LINE, LEGEND_LINE = 0.16, 0.21, 0.155, 0.225
SIZES = {"title": 12.5, "subtitle": 9.5, "legend": 9.5, "panel": 10, "caption": 7.2}
RENDERER = RendererAgg(16, 16, 144)
COLUMNS = ("panel", "series", "runtime", "arm", "variant", "workload", "params", "pin", "x_name", "x", "quantity",
           "unit", "value", "low", "high", "interval", "trials", "samples", "note")


def text_width(text, size):
    """In inches. Text is measured, since a legend or caption that is cut off is worse than none."""
    width, _, _ = RENDERER.get_text_width_height_descent(text, FontProperties(family="DejaVu Sans", size=size), False)
    return width / RENDERER.dpi


class OutputError(Exception):
    """A sentence about a file that cannot be written."""


class Sheet:
    """Add panels by `axes`, then `save`. `panel` is the (width, height) of the drawing area of one panel in inches,
    `left` the room for the labels of the first column, `gap` for those of the others, `above` for panel titles."""

    def __init__(self, title, subtitle, panel, columns=1, rows=1, left=0.55, gap=None, above=0.46):
        self.title, self.subtitle, self.panel = title, subtitle, panel
        self.columns, self.rows, self.left, self.gap = columns, rows, left, left if gap is None else gap
        self.above, self.below = above, 0.52
        self.width = MARGIN + left + columns * panel[0] + (columns - 1) * self.gap + MARGIN
        self.entries, self.caption, self.records = [], [], []
        self.description = ""
        self.figure = Figure(figsize=(self.width, 4), dpi=100)
        self.canvas = FigureCanvasAgg(self.figure)
        self.grid = [[self.figure.add_axes([0, 0, 1, 1], label=f"{r},{c}") for c in range(columns)]
                     for r in range(rows)]

    def axes(self, row=0, column=0):
        return self.grid[row][column]

    def all_axes(self):
        return [a for row in self.grid for a in row]

    def wrapped(self, text, size):
        lines, room = [""], self.width - 2 * MARGIN
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if text_width(longer, size) > room and lines[-1]:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines

    def legend_rows(self):
        rows, room = [[]], self.width - 2 * MARGIN
        used = 0
        for entry in self.entries:
            width = 0.42 + text_width(entry[1], SIZES["legend"]) + 0.22
            if rows[-1] and used + width > room:
                rows.append([])
                used = 0
            rows[-1].append((used, *entry))
            used += width
        return [r for r in rows if r]

    def lay_out(self):
        titles = self.wrapped(self.title, SIZES["title"])
        subtitles = self.wrapped(self.subtitle, SIZES["subtitle"]) if self.subtitle else []
        legend = self.legend_rows()
        caption = [line for text in self.caption for line in self.wrapped(text, SIZES["caption"])]
        head = MARGIN + 0.25 * len(titles) + LINE * len(subtitles) + LEGEND_LINE * len(legend) + 0.1 * bool(legend)
        foot = MARGIN + CAPTION_LINE * len(caption) + 0.06
        height = head + self.rows * (self.above + self.panel[1] + self.below) + foot
        self.figure.set_size_inches(self.width, height)
        self.place_panels(height, head)
        self.write_lines(titles, SIZES["title"], MARGIN + 0.19, 0.25, height, weight="bold")
        self.write_lines(subtitles, SIZES["subtitle"], MARGIN + 0.25 * len(titles) + 0.14, LINE, height)
        self.draw_legend(legend, MARGIN + 0.25 * len(titles) + LINE * len(subtitles) + 0.17, height)
        self.write_lines(caption, SIZES["caption"], height - foot + 0.17, CAPTION_LINE, height, color=style.FAINT)

    def place_panels(self, height, head):
        width, tall = self.panel
        for r in range(self.rows):
            top = head + r * (self.above + tall + self.below) + self.above
            for c in range(self.columns):
                x = MARGIN + self.left + c * (width + self.gap)
                self.axes(r, c).set_position([x / self.width, 1 - (top + tall) / height, width / self.width,
                                              tall / height])

    def write_lines(self, lines, size, first, step, height, **look):
        for i, line in enumerate(lines):
            self.figure.text(MARGIN / self.width, 1 - (first + i * step) / height, line, size=size, va="baseline",
                             **look)

    def draw_legend(self, rows, first, height):
        for i, row in enumerate(rows):
            y = 1 - (first + i * LEGEND_LINE) / height
            for x, look, label in row:
                at = MARGIN + x
                self.draw_key(look, at / self.width, (at + 0.34) / self.width, y, 0.1 / height)
                self.figure.text((at + 0.42) / self.width, y - 0.045 / height, label, size=SIZES["legend"])

    def draw_key(self, look, left, right, y, tall):
        if isinstance(look, dict):  # a patch: bars and shaded regions
            self.figure.add_artist(Rectangle((left, y - tall / 2), right - left, tall, **look))
            return
        self.figure.add_artist(Line2D([left, (left + right) / 2, right], [y, y, y], color=look.colour,
                                      linestyle=look.line, marker=look.marker, markevery=[1],
                                      markerfacecolor=look.face, markeredgecolor=look.colour, linewidth=1.7,
                                      markersize=5.5))

    # -----------------------------------------------------------------------------------------------------------------
    # Files

    def save(self, stem, formats, command):
        """Writes STEM.svg, .png and .csv; returns their paths. The same results give the same bytes."""
        self.lay_out()
        title = f"{self.title} ({self.subtitle})" if self.subtitle else self.title
        written = []
        for form in formats:
            data = self.svg(title, command) if form == "svg" else self.png(title, command)
            written.append(write(f"{stem}.{form}", data))
        written.append(write(f"{stem}.csv", self.csv()))
        return written

    def svg(self, title, command):
        out = io.BytesIO()
        source = {"Source": command} if command else {}
        self.figure.savefig(out, format="svg", metadata={"Title": title, "Date": None, "Creator": "bb plot", **source})
        text = out.getvalue().decode()
        # Viewers without DejaVu take Verdana, which has the same widths.
        text = re.sub(r"'?DejaVu Sans'?(?:, sans-serif)?", "'DejaVu Sans', Verdana, sans-serif", text)
        text = text.replace("<svg ", '<svg role="img" ', 1)
        return text.replace("</title>", f"</title>\n <desc>{escape(self.description)}</desc>", 1).encode()

    def png(self, title, command):
        out = io.BytesIO()
        metadata = {"Title": title, "Description": self.description, "Software": None}
        if command:
            metadata["Source"] = command
        metadata = {k: v and v.encode("latin-1", "replace").decode("latin-1") for k, v in metadata.items()}
        self.figure.savefig(out, format="png", dpi=PNG_DPI, metadata=metadata)
        return out.getvalue()

    def csv(self):
        out = io.StringIO()
        rows = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\r\n")
        rows.writeheader()
        for record in self.records:
            rows.writerow({k: repr(v) if isinstance(v, float) else v for k, v in record.items() if v is not None})
        return out.getvalue().encode()


def write(path, data):
    try:
        with open(path, "wb") as file:
            file.write(data)
    except OSError as fault:
        raise OutputError(f"cannot write '{path}': {fault.strerror}") from None
    return path


def use_style():
    """Our settings alone, whatever the user's matplotlibrc says."""
    matplotlib.use("Agg")
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(style.RC)


def folder_of(stem):
    folder = os.path.dirname(stem)
    try:
        os.makedirs(folder or ".", exist_ok=True)
    except OSError as fault:
        raise OutputError(f"cannot make the folder '{folder}': {fault.strerror}") from None
    return folder
