#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws time over memcpy by size for the main pairs of layouts, with oneDNN beside it.

    python3 bench/plot.py --cases > sizes.txt
    build/bench/tensorfmt-bench --mode=P --csv --batch=sizes.txt > sizes.csv
    python3 bench/plot.py sizes.csv --output=doc/speed.svg

Needs matplotlib (Debian: apt-get install python3-matplotlib, for /usr/bin/python3); --cases does
not. Sizes without a case have no shape of the pair's kind.
"""
import argparse
import csv
import io
import math
import re
import sys

# title: src tag, dst tag, data type, what the dims are
PAIRS = {
    "f32 nchw to nhwc": ("f32", "abcd", "acdb", "layer"),
    "bf16 nchw to nhwc": ("bf16", "abcd", "acdb", "layer"),
    "u8 nchw to nhwc": ("u8", "abcd", "acdb", "layer"),
    "f32 nchw to nChw16c": ("f32", "abcd", "aBcd16b", "layer"),
    "f32 nhwc to nchw": ("f32", "acdb", "abcd", "layer"),
    "bf16 nhwc to nchw": ("bf16", "acdb", "abcd", "layer"),
    "u8 nhwc to nchw": ("u8", "acdb", "abcd", "layer"),
    "f32 nChw16c to nchw": ("f32", "aBcd16b", "abcd", "layer"),
    "f32 ab to ba": ("f32", "ab", "ba", "matrix"),
    "f64 ab to ba": ("f64", "ab", "ba", "matrix"),
    "bf16 abcd to ABcd8b16a2b, 3x3": ("bf16", "abcd", "ABcd8b16a2b", "kernel"),
    "s8 abcd to ABcd16b16a4b, 3x3": ("s8", "abcd", "ABcd16b16a4b", "kernel"),
}
ELEMENT_BYTES = {"f32": 4, "bf16": 2, "u8": 1, "s8": 1, "f64": 8}
SMALLEST, LARGEST = 4 << 10, 256 << 20  # bytes of src + dst
POINTS = 33                             # two an octave
ONEDNN_GENERIC = ("simple:any", "ref:any")  # scalar code for any pair
MAX_RATIO = 60


def shapes(what, is_power_of_two):
    """All shapes to choose from; those of networks are no powers of two."""
    if what == "layer":
        channels = (16, 32, 64, 128, 256, 512, 1024) if is_power_of_two else (
            16, 24, 40, 48, 80, 96, 112, 144, 160, 192, 240, 320, 384, 480, 576, 672, 720, 960)
        planes = (4, 8, 16, 32, 64, 128, 256) if is_power_of_two else (
            5, 7, 13, 14, 19, 26, 28, 35, 52, 56, 75, 104, 112, 149, 208, 224)
        return [(n, c, h, h) for n in (1, 2, 4, 8, 16, 32, 64) for c in channels for h in planes]
    if what == "kernel":
        channels = [1 << k for k in range(4, 13)] if is_power_of_two else (
            16, 24, 40, 48, 80, 96, 112, 144, 160, 192, 240, 320, 384, 480, 576, 672, 720, 960,
            1344, 1536, 1920, 2304, 2880, 3840)
        return [(o, i, 3, 3) for o in channels for i in channels if o <= 2 * i and i <= 2 * o]
    if is_power_of_two:
        return [(1 << a, 1 << b) for a in range(4, 13) for b in range(a - 1, a + 2)]
    rows = (15, 20, 25, 30, 45, 60, 77, 100, 127, 197, 250, 384, 500, 768, 1000, 1500, 1920, 3072,
            4000)
    return [(r, round(r * f)) for r in rows for f in (0.8, 0.9, 1, 1.1, 1.25, 1.5)]


def wanted_dims(what, element_bytes):
    """Of each size one shape, every fourth of powers of two where one comes near."""
    chosen = {}
    for i in range(POINTS):
        n_bytes = SMALLEST * (LARGEST / SMALLEST) ** (i / (POINTS - 1))
        off = lambda dims: abs(math.log2(2 * math.prod(dims) * element_bytes / n_bytes))
        fitting = lambda is_power: sorted(
            (d for d in shapes(what, is_power)
             if 2 * math.prod(d) * element_bytes <= LARGEST and off(d) < 0.3), key=off)[:12]
        near = fitting(i % 4 == 0) or fitting(False)
        if near:  # not the nearest one: other planes and channels each time
            chosen[near[5 * i % len(near)]] = None
    return list(chosen)


def print_cases():
    print("# bench/plot.py --cases: src_type dst_type src_tag dst_tag dims")
    for data_type, src, dst, what in PAIRS.values():
        for dims in wanted_dims(what, ELEMENT_BYTES[data_type]):
            print(data_type, data_type, src, dst, "x".join(map(str, dims)))


def read_curves(paths):
    """{title: [(bytes, ours, oneDNN's, its code, whether of powers of two)]}, by bytes."""
    titles = {pair[:3]: title for title, pair in PAIRS.items()}
    curves = {}
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                title = titles.get((row["sdt"], row["stag"], row["dtag"]))
                if not title or not row["time_over_memcpy"] or row["sdt"] != row["ddt"]:
                    continue
                onednn = float(row["onednn_us"] or 0) / float(row["memcpy_us"])
                dims = [int(d) for d in row["dims"].replace("x3x3", "").split("x")]
                curves.setdefault(title, []).append(
                    (int(row["src_bytes"]) + int(row["dst_bytes"]), float(row["time_over_memcpy"]),
                     onednn, row["onednn_impl"], all(d & (d - 1) == 0 for d in dims)))
    return {title: sorted(points) for title, points in curves.items()}


def draw_panel(axes, title, points):
    regular = [p for p in points if not p[4]]
    powers = [p for p in points if p[4]]
    axes.axhline(1, color="0.5", linewidth=0.8)
    for column, color, label in ((2, "tab:orange", "oneDNN"), (1, "tab:blue", "tensorfmt")):
        is_generic = column == 2 and any(p[3] in ONEDNN_GENERIC for p in points)
        label += " (generic scalar code)" if is_generic else ""
        line = [(p[0], min(p[column], MAX_RATIO)) for p in regular if p[column] > 0]
        dots = [(p[0], min(p[column], MAX_RATIO)) for p in powers if p[column] > 0]
        if line:
            axes.plot(*zip(*line), color=color, linewidth=1.4, label=label,
                      linestyle="--" if is_generic else "-")
        if dots:
            axes.plot(*zip(*dots), "o", markersize=3.5, color=color, markerfacecolor="none")
    axes.set_title(title, fontsize=9)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_ylim(0.45, MAX_RATIO)
    ratios = (0.5, 1, 2, 4, 8, 16, 32)
    axes.set_yticks(ratios, ["%g" % r for r in ratios])
    axes.set_yticks([], minor=True)
    sizes = {12: "4 KiB", 16: "64", 20: "1 MiB", 24: "16", 28: "256 MiB"}
    axes.set_xticks([1 << k for k in sizes], sizes.values())
    axes.set_xticks([], minor=True)
    axes.tick_params(labelsize=7, left=False, bottom=False)
    axes.grid(True, linewidth=0.3)


def cpu_name():
    try:
        with open("/proc/cpuinfo") as file:
            return re.search(r"model name\s*:\s*(.*)", file.read()).group(1)
    except (OSError, AttributeError):
        return "unknown processor"


def draw(paths, output, machine):
    import matplotlib

    matplotlib.use("svg")
    # Text stays text; the same figures give the same file.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "tensorfmt",
                                "font.sans-serif": ["DejaVu Sans"]})
    from matplotlib import pyplot

    curves = read_curves(paths)
    if not curves:
        sys.exit("plot.py: no timed case of the pairs it draws in " + ", ".join(paths))
    drawn = [title for title in PAIRS if title in curves]
    n_columns = min(4, len(drawn))
    n_rows = -(-len(drawn) // n_columns)
    figure, grid = pyplot.subplots(n_rows, n_columns, figsize=(3 * n_columns, 2.3 * n_rows + 0.7),
                                   sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat[len(drawn):]:
        axes.axis("off")
    labels = {}
    for axes, title in zip(grid.flat, drawn):
        draw_panel(axes, title, curves[title])
        labels.update({label: line for line, label in zip(*axes.get_legend_handles_labels())})
    labels["power-of-two dims"] = pyplot.Line2D([], [], marker="o", markersize=3.5, color="0.4",
                                                markerfacecolor="none", linestyle="")
    figure.legend(labels.values(), labels.keys(), loc="lower center", ncol=len(labels),
                  frameon=False, fontsize=8)
    figure.suptitle("time over memcpy of the same bytes, by bytes of source + destination; "
                    + machine, fontsize=10)
    figure.tight_layout(rect=(0, 0.04, 1, 0.99))
    svg = io.StringIO()
    figure.savefig(svg, format="svg", metadata={"Date": None})
    with open(output, "w") as file:  # a hundredth of a point is enough
        file.write(re.sub(r"(\.\d\d)\d+", r"\1", svg.getvalue()))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="*", help="output of tensorfmt-bench --mode=P --csv")
    parser.add_argument("--cases", action="store_true", help="print the cases to measure")
    parser.add_argument("--output", default="speed.svg")
    parser.add_argument("--machine", default=cpu_name() + ", one thread",
                        help="what to name it (this processor, one thread)")
    args = parser.parse_args()
    if args.cases:
        print_cases()
    elif args.csv:
        draw(args.csv, args.output, args.machine)
    else:
        parser.error("wanted --cases or CSV files")


main()
