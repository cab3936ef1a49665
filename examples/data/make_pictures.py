# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of this folder: waves.ppm (P6, 321x243) and waves.bmp (24 bit, 39x27).

Integers only, so every machine draws the same bytes. The sizes are odd on purpose: rows of a BMP are
padded to four bytes, and no extent is a multiple of a vector.
"""
import os


def triangle(x, period):
    """0..255, up and down again once in `period`."""
    x = x % period * 2
    return (x if x < period else 2 * period - x) * 255 // period


def pixel(x, y, width, height):
    """Interfering rings around two centres over a slanted gradient, with a dark disc."""
    ring_a = (x - width // 3) ** 2 + (y - height // 3) ** 2
    ring_b = (x - 3 * width // 4) ** 2 + (y - 2 * height // 3) ** 2
    red = (triangle(ring_a // 40, 97) + triangle(x + y, 211)) // 2
    green = (triangle(ring_b // 50, 83) + triangle(2 * x - y, 173)) // 2
    blue = (triangle(ring_a // 60 + ring_b // 70, 131) + y * 255 // height) // 2
    if ring_b < (height // 6) ** 2:
        red, green, blue = red // 3, green // 3, blue // 2
    return bytes((red, green, blue))


def ppm(width, height):
    header = b"P6\n# drawn by make_pictures.py\n%d %d\n255\n" % (width, height)
    return header + b"".join(
        pixel(x, y, width, height) for y in range(height) for x in range(width))


def bmp(width, height):
    row_bytes = (3 * width + 3) // 4 * 4
    rows = []
    for y in reversed(range(height)):  # bottom row first, blue before red
        row = b"".join(pixel(x, y, width, height)[::-1] for x in range(width))
        rows.append(row.ljust(row_bytes, b"\xa5"))  # readers ignore the rest of a row
    words = ((14 + 40 + row_bytes * height, 4), (0, 4), (14 + 40, 4),  # file: size, -, offset
             (40, 4), (width, 4), (height, 4), (1, 2), (24, 2), (0, 4),  # picture, uncompressed
             (row_bytes * height, 4), (2835, 4), (2835, 4), (0, 4), (0, 4))
    return b"BM" + b"".join(v.to_bytes(n, "little") for v, n in words) + b"".join(rows)


if __name__ == "__main__":
    folder = os.path.dirname(os.path.abspath(__file__))
    for name, content in (("waves.ppm", ppm(321, 243)), ("waves.bmp", bmp(39, 27))):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(content)
