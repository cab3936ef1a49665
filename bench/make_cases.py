#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints reorders for tensorfmt-bench --batch that are in no file of the repository.

--kind=framework: shapes of real networks in pairs of tags that fit what the tensor is.
--kind=random: any two canonical tags of one rank, with prime dims, tails and ones.
--kind=transpose: any two orders of up to 5 dims with other innermost ones, half of the dims powers of two.
--kind=turn: any two orders of 3 to 5 dims that leave the innermost one where it is, of 2 to 24 elements, as
the channels of pictures that are turned.
--kind=collide: those in which neighbours on either side are a multiple of 4 KiB apart on the other, seven
and more of them, so that their lines share sets of L1.
The same arguments give the same cases.
"""
import argparse
import math
import pathlib
import random
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
ELEMENT_BYTES = {"f32": 4, "bf16": 2, "f16": 2, "s8": 1, "u8": 1, "s32": 4, "f64": 8}
TYPE_WEIGHTS = {"f32": 5, "bf16": 4, "f16": 2, "s8": 3, "u8": 2, "s32": 1, "f64": 1}
BATCHES = (1, 1, 1, 2, 4, 8, 16, 32, 64)

IMAGES = [(1, 28), (1, 572), (3, 224), (3, 299), (3, 416), (4, 64), (4, 512), (3, 640)]  # c, h = w
PLANES = [  # c, h = w of layers: ResNet, MobileNet, YOLO, U-Net, Inception and Xception
    (64, 112), (64, 56), (256, 56), (128, 28), (512, 28), (256, 14), (1024, 14), (512, 7),
    (2048, 7), (32, 112), (16, 112), (96, 56), (24, 56), (144, 28), (192, 14), (576, 14), (960, 7),
    (1280, 7), (32, 208), (128, 104), (255, 52), (512, 26), (255, 26), (1024, 13), (255, 13),
    (84, 80), (64, 284), (128, 140), (256, 68), (1024, 28), (32, 149), (288, 35), (768, 17),
    (728, 19), (21, 65)]
VOLUMES = [(3, 16, 112), (64, 16, 56), (64, 8, 28), (192, 8, 28), (480, 4, 14), (832, 2, 7),
           (32, 24, 37), (1, 32, 96)]  # c, d, h = w
SEQUENCES = [(128, 768), (384, 1024), (77, 768), (197, 768), (512, 4096), (1500, 512), (2048, 2048)]
HEADS = [(12, 384, 64), (16, 128, 64), (32, 512, 128), (8, 77, 40), (12, 197, 64), (32, 2048, 128)]
MATRICES = [(768, 768), (3072, 768), (768, 3072), (1024, 4096), (4096, 4096), (11008, 4096),
            (4096, 11008), (30522, 768), (50257, 768), (1000, 2048), (1000, 1280), (21, 4096),
            (5120, 1280), (2, 768)]
KERNELS = [  # o, i, kh, kw
    (64, 3, 7, 7), (32, 3, 3, 3), (64, 1, 5, 5), (64, 64, 3, 3), (64, 64, 1, 1), (256, 64, 1, 1),
    (128, 128, 3, 3), (512, 1024, 1, 1), (512, 512, 3, 3), (2048, 512, 1, 1), (255, 1024, 1, 1),
    (96, 16, 1, 1), (144, 24, 1, 1), (1280, 320, 1, 1), (192, 160, 7, 1), (160, 192, 1, 7),
    (48, 35, 5, 5), (1024, 512, 3, 3), (320, 4, 3, 3), (21, 512, 1, 1)]
GROUPED = [(32, 1, 1, 3, 3), (96, 1, 1, 3, 3), (144, 1, 1, 5, 5), (960, 1, 1, 3, 3),
           (728, 1, 1, 3, 3), (32, 4, 4, 3, 3), (32, 16, 16, 3, 3), (2, 48, 24, 5, 5),
           (8, 30, 30, 3, 3)]  # g, o, i, kh, kw
KERNELS_3D = [(64, 3, 3, 7, 7), (64, 64, 3, 3, 3), (128, 64, 3, 3, 3), (32, 1, 3, 3, 3),
              (96, 16, 1, 1, 1)]
KERNELS_1D = [(512, 80, 3), (512, 512, 3), (768, 1, 10), (64, 257, 7), (1, 32, 16)]


def batched(shapes):
    return lambda r: (r.choice(BATCHES),) + r.choice(shapes)


def square(shapes):  # the last number counts twice: h = w
    return lambda r: (lambda s: (r.choice(BATCHES),) + s + s[-1:])(r.choice(shapes))


# Blocked tags: of activations and of kernels (a and b cut), of those with groups (c too), of heads.
ACTIVATIONS = r"[aA]B[cde]+(\d+a)?\d+b|Ab[cde]+\d+a"
WEIGHTS, WITH_GROUPS, INNER_TWO = r"[^C-L]*", r"[^D-L]*", r"[^ABE-L]*"

# what: weight, dims, plain tags that frameworks use, blocked tags (of other plain tags any will do)
ROLES = {
    "images": (1, square(IMAGES), ("abcd", "acdb"), ACTIVATIONS),
    "layers": (5, square(PLANES), ("abcd", "acdb"), ACTIVATIONS),
    "volumes": (1, square(VOLUMES), ("abcde", "acdeb"), ACTIVATIONS),
    "sequences": (1, batched(SEQUENCES), ("abc", "bac", "acb"), WITH_GROUPS),
    "heads": (1, batched(HEADS), ("abcd", "acbd", "abdc"), INNER_TWO),
    "matrices": (2, lambda r: r.choice(MATRICES), ("ab", "ba"), WEIGHTS),
    "kernels": (4, lambda r: r.choice(KERNELS), ("abcd", "acdb", "cdba"), WEIGHTS),
    "grouped": (1, lambda r: r.choice(GROUPED), ("abcde", "decab"), WITH_GROUPS),
    "kernels_3d": (1, lambda r: r.choice(KERNELS_3D), ("abcde", "cdeba", "acdeb"), WEIGHTS),
    "kernels_1d": (1, lambda r: r.choice(KERNELS_1D), ("abc", "cba", "acb"), WEIGHTS),
}


def canonical_tags():
    """{rank: [tag]} out of the public list."""
    text = (ROOT / "include/tensorfmt/tensorfmt_tags.h").read_text()
    by_rank = {}
    for tag in re.findall(r"X\(\d+, (\w+)\)", text):
        by_rank.setdefault(len(re.sub(r"\d+[a-l]", "", tag)), []).append(tag)
    return by_rank


def padded_bytes(dims, tag, data_type):
    padded = list(dims)
    blocks = {}
    for size, letter in re.findall(r"(\d+)([a-l])", tag):
        blocks[letter] = blocks.get(letter, 1) * int(size)
    for letter, block in blocks.items():
        d = ord(letter) - ord("a")
        padded[d] = -(-padded[d] // block) * block
    return math.prod(padded) * ELEMENT_BYTES[data_type]


def framework_case(r, tags, data_type):
    role = r.choices(list(ROLES), [role[0] for role in ROLES.values()])[0]
    _, dims_of, plain, blocked = ROLES[role]
    dims = dims_of(r)
    fitting = [t for t in tags[len(dims)] if t.islower() or re.fullmatch(blocked, t)]
    src, dst = (r.choice(plain if r.random() < 0.45 else fitting) for _ in range(2))
    return dims, src, dst


def random_case(r, tags, data_type):
    rank = r.choice([rank for rank in tags if len(tags[rank]) > 2])
    log2_elements = r.uniform(6, 24)
    dims = [1] * rank
    while True:  # grow one dim after another, in steps that leave primes, tails and ones behind
        d = r.randrange(rank)
        near_8s = 8 * r.randint(1, 40) + r.randint(-1, 1)
        dims[d] = r.choice((2, 3, 5, 7, 11, 13, 17, 23, 31, 47, 61, 97, 127, 251, 509, 1021,
                            16, 24, 48, 64, 15, 33, 63, 100, 250, near_8s))
        if math.log2(math.prod(dims)) > log2_elements or r.random() < 0.05:
            return tuple(dims), r.choice(tags[rank]), r.choice(tags[rank])


ODD_DIMS = (3, 5, 6, 7, 9, 10, 12, 13, 14, 17, 19, 20, 24, 26, 28, 30, 33, 36, 40, 48, 52, 56, 60, 65, 75, 80,
            96, 100, 112, 120, 144, 160, 196, 224, 300, 768, 1000, 1536, 3072)


def transpose_case(r, tags, data_type):
    rank = r.choice((2, 3, 3, 3, 4, 4, 4, 5))
    dims = tuple(r.choice(ODD_DIMS) if r.random() < 0.5 else 2 ** r.randint(1, 12) for _ in range(rank))
    letters = "abcde"[:rank]
    while True:
        src, dst = ("".join(r.sample(letters, rank)) for _ in range(2))
        if src[-1] != dst[-1]:
            return dims, src, dst


def turn_case(r, tags, data_type):
    rank = r.choice((3, 3, 4, 4, 5))
    src = r.sample("abcde"[:rank], rank)
    dims = [r.choice(ODD_DIMS) if r.random() < 0.5 else 2 ** r.randint(1, 12) for _ in range(rank)]
    dims[ord(src[-1]) - ord("a")] = r.choice((2, 3, 3, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24))
    while True:
        dst = r.sample(src[:-1], rank - 1)
        if dst[-1] != src[-2]:
            return tuple(dims), "".join(src), "".join(dst) + src[-1]


def stride_bytes(dims, order, letter, data_type):
    behind = order[order.index(letter) + 1:]
    return math.prod(dims[ord(c) - ord("a")] for c in behind) * ELEMENT_BYTES[data_type]


def collide_case(r, tags, data_type):
    while True:
        dims, src, dst = transpose_case(r, tags, data_type)
        if all(stride_bytes(dims, there, here[-1], data_type) % 4096 == 0
               and dims[ord(here[-1]) - ord("a")] >= 7 for here, there in ((src, dst), (dst, src))):
            return dims, src, dst


KINDS = {"framework": framework_case, "random": random_case, "transpose": transpose_case,
         "turn": turn_case, "collide": collide_case}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=200, help="number of cases (200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS, default="framework")
    parser.add_argument("--max-mib", type=float, default=64, help="src + dst, with padding (64)")
    parser.add_argument("--types", default=",".join(TYPE_WEIGHTS), help="data types, by commas")
    args = parser.parse_args()
    types = args.types.split(",")
    if not set(types) <= set(TYPE_WEIGHTS):
        parser.error("--types: wanted some of " + ",".join(TYPE_WEIGHTS))
    r = random.Random(args.seed)
    tags = canonical_tags()
    seen = set((ROOT / "tests/data/frameworks.txt").read_text().splitlines())
    print("# make_cases.py --kind=%s -n %d --seed=%d --max-mib=%g --types=%s"
          % (args.kind, args.n, args.seed, args.max_mib, args.types))
    n_made = 0
    for _ in range(1000 * args.n):  # draws fall away: too large, one tag twice, seen before
        if n_made == args.n:
            break
        data_type = r.choices(types, [TYPE_WEIGHTS[t] for t in types])[0]
        dims, src, dst = KINDS[args.kind](r, tags, data_type)
        line = "%s %s %s %s %s" % (data_type, data_type, src, dst, "x".join(map(str, dims)))
        n_bytes = padded_bytes(dims, src, data_type) + padded_bytes(dims, dst, data_type)
        if src != dst and n_bytes <= args.max_mib * 2**20 and line not in seen:
            seen.add(line)
            n_made += 1
            print(line)


main()
