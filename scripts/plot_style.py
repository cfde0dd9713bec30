"""How each runtime looks, in every chart and for good: colour, marker and dash, so that it survives greyscale too."""
import zlib
from dataclasses import dataclass

# The colour-blind safe palette of M. Okabe and K. Ito (2008) without its yellow, too pale for lines on white.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#767676"
INK, FAINT, PALE, RULE, SHADE = "#262626", "#6A6A6A", "#9A9A9A", "#DEDEDE", "#F3F1EC"

SOLID, DASHED, DOTTED, DASH_DOT, LONG = (), (4, 1.6), (1.2, 1.4), (5, 1.4, 1.2, 1.4), (8, 2)
DASHES = (SOLID, DASHED, DOTTED, DASH_DOT, LONG)

# What competes in one chart gets far colours. Ours are blue, sky and orange with solid lines.
RUNTIMES = {
    "serial": (BLACK, "x", DOTTED), "static": (GREY, "_", DASHED),
    "heartbeat": (BLUE, "o", SOLID), "tbb": (VERMILLION, "s", DASHED), "openmp": (GREEN, "^", DASH_DOT),
    "rayon": (PURPLE, "D", LONG),
    "fiber": (SKY, "o", SOLID), "continuation": (ORANGE, "o", SOLID), "boost_context": (VERMILLION, "v", DASHED),
    "boost_fiber": (GREEN, "P", DASH_DOT), "ucontext": (BLACK, "d", DASHED), "coroutine": (PURPLE, "p", LONG),
    "asio": (GREEN, "<", DASHED), "uring": (VERMILLION, ">", DASH_DOT), "epoll": (BLACK, "s", DASH_DOT),
    "threads": (GREY, "s", DASH_DOT), "futex": (GREY, "^", DOTTED), "fio": (PURPLE, "*", DASHED),
    "sockperf": (ORANGE, "^", DOTTED), "nginx": (PURPLE, "h", DOTTED), "rseq": (BLUE, "D", DASHED),
    "cas16": (VERMILLION, "X", DOTTED), "mutex": (GREY, "X", LONG),
    "glibc": (BLACK, "o", DASHED), "jemalloc": (VERMILLION, "^", DASHED), "tcmalloc": (GREEN, "s", DASH_DOT),
    "mimalloc": (PURPLE, "v", LONG), "tbbmalloc": (ORANGE, "d", DOTTED), "snmalloc": (GREY, "p", DASHED),
    "tlsf": (SKY, "v", DASHED), "tlsfcc": (BLUE, "s", SOLID), "hslab": (SKY, "s", SOLID),
    "wfslab": (ORANGE, "s", SOLID), "bbmalloc": (BLUE, "*", SOLID),
}
FALLBACK_COLOURS = (GREEN, VERMILLION, PURPLE, ORANGE, SKY, BLUE)
FALLBACK_MARKERS = "h8HPpd"


@dataclass(frozen=True)
class Style:
    colour: str
    marker: str
    dash: tuple
    hollow: bool = False

    @property
    def face(self):
        return "white" if self.hollow else self.colour

    @property
    def fill(self):
        """Of bars: an arm is a paler shade of its runtime, and black would hide the interval."""
        if not self.hollow:
            return PALE if self.colour == BLACK else self.colour
        return tuple(1 - 0.45 * (1 - int(self.colour[i:i + 2], 16) / 255) for i in (1, 3, 5))

    @property
    def line(self):
        """Line2D's word for the dash."""
        return (0, self.dash) if self.dash else "-"


def style_of(runtime, arm_rank=0):
    """`arm_rank` counts the arms of a runtime within one chart; 0 is its default arm."""
    look = RUNTIMES.get(runtime)
    if look is None:
        stable = zlib.crc32(runtime.encode())
        look = (FALLBACK_COLOURS[stable % 6], FALLBACK_MARKERS[stable // 6 % 6], DASHES[1 + stable // 36 % 4])
    colour, marker, dash = look
    if arm_rank == 0:
        return Style(colour, marker, dash)
    others = [d for d in DASHES if d != dash]
    markers = [marker, *(m for m in "oDv^sph" if m != marker)]
    return Style(colour, markers[(arm_rank - 1) % len(markers)], others[(arm_rank - 1) % len(others)], hollow=True)


def styles_of(series):
    """Label -> Style for the series of one chart."""
    out, ranks = {}, {}
    for s in sorted(series, key=lambda s: s.label):
        if not s.plain:
            ranks[s.runtime] = ranks.get(s.runtime, 0) + 1
        out[s.label] = style_of(s.runtime, 0 if s.plain else ranks[s.runtime])
    return out


RC = {
    "font.family": "DejaVu Sans", "font.size": 9.5, "text.color": INK, "text.parse_math": False,
    "axes.edgecolor": FAINT, "axes.labelcolor": INK, "axes.linewidth": 0.8, "axes.spines.top": False,
    "axes.spines.right": False, "axes.axisbelow": True, "axes.grid": True, "axes.formatter.use_locale": False,
    "grid.color": RULE, "grid.linewidth": 0.7, "xtick.color": FAINT, "ytick.color": FAINT, "xtick.labelcolor": INK,
    "ytick.labelcolor": INK, "lines.linewidth": 1.7, "lines.markersize": 5.5, "hatch.linewidth": 0.8,
    "hatch.color": FAINT, "svg.fonttype": "none", "svg.hashsalt": "bb", "figure.facecolor": "white",
    "savefig.facecolor": "white",
}


def number(value, digits=3):
    """Significant digits without exponent, as the tables of bb write them."""
    if value == 0:
        return "0"
    exponent = int(f"{value:.{digits - 1}e}".split("e")[1])
    return f"{value:.{min(9, max(0, digits - 1 - exponent))}f}"


def count(value):
    """1000 -> 1K, 100000000 -> 100M, 1500 -> 1500; words stay."""
    if isinstance(value, bool) or not isinstance(value, int):
        return str(value)
    suffix = ""
    for larger in "KMGT":
        if value == 0 or value % 1000:
            break
        value, suffix = value // 1000, larger
    return f"{value}{suffix}"


def shortened(text, most=44):
    if len(text) <= most:
        return text
    return text[:most // 2] + "\u2026" + text[-(most - most // 2 - 1):]


def params_text(params, leave_out=()):
    return ", ".join(f"{k} {count(v)}" for k, v in params.items() if k not in leave_out)
