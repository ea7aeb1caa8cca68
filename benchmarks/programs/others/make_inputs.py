#!/usr/bin/env python3
"""Writes what the programs of fetch_others.sh read:  make_inputs.py DIR

The same bytes each time: all that is random comes from one generator with a fixed seed.
"""

import math
import pathlib
import random
import struct
import sys


def records(random_numbers, count):
    """Dictionaries for JSON and XML."""
    for i in range(count):
        yield {
            "name": f"record {i * 7919 % 100003}",
            "kind": f"k{random_numbers.randrange(200)}",
            "size": random_numbers.randrange(100),
            "ratio": random_numbers.randrange(10**6) / 1000,
        }


def write_json(path, random_numbers):
    lines = [
        f'{{"name": "{r["name"]}", "kind": "{r["kind"]}", "size": {r["size"]}, "ratio": {r["ratio"]}}}'
        for r in records(random_numbers, 60000)
    ]
    path.write_text("[" + ",\n".join(lines) + "]\n")


def write_xml(path, random_numbers):
    lines = [
        f'<record id="r{i}" kind="{r["kind"]}"><name>{r["name"]} &amp; more</name>'
        f'<size unit="mm">{r["size"]}</size><!-- {r["ratio"]} --></record>'
        for i, r in enumerate(records(random_numbers, 200000))
    ]
    path.write_text('<?xml version="1.0"?>\n<records>\n' + "\n".join(lines) + "\n</records>\n")


def write_functions(path, random_numbers):
    """A C program of many functions, without any header."""
    count = 30000
    with path.open("w") as out:
        out.write("int printf(const char *format, ...);\nstruct pair { long a, b; };\n")
        for i in range(count):
            a, b, c = (random_numbers.randrange(1, 1000) for _ in range(3))
            out.write(
                f"static long f{i}(long x, struct pair *p) {{\n"
                f"  long y = x * {a} + p->b, i;\n"
                f"  double d = y / {b}.5;\n"
                f"  for (i = 0; i < {c % 7}; ++i) {{\n"
                f"    if ((y ^ i) & {b}) y += i << {a % 5}; else p->a -= y % {c};\n"
                f"  }}\n"
                f"  switch (y & 3) {{ case 0: y += {a}; break; case 1: y ^= {b}; break;"
                f" default: y -= (long)d; }}\n"
                f"  p->b += y & {c};\n"
                f"  return {f'f{i - 1}(y & 65535, p) + ' if i % 50 else ''}p->a;\n"
                f"}}\n"
            )
        out.write("int main(void) {\n  struct pair p = {1, 2};\n  long sum = 0;\n")
        for i in range(49, count, 50):
            out.write(f"  sum += f{i}(sum & 1023, &p);\n")
        out.write('  printf("%ld %ld %ld\\n", sum, p.a, p.b);\n  return 0;\n}\n')


def mutate(random_numbers, sequence, letters, probability):
    return [
        random_numbers.choice(letters) if random_numbers.random() < probability else letter
        for letter in sequence
    ]


def family(random_numbers, letters, length, count, probability, gaps):
    """Sequences that descend from one: each is a changed copy of an earlier one."""
    sequences = [[random_numbers.choice(letters) for _ in range(length)]]
    while len(sequences) < count:
        child = mutate(random_numbers, random_numbers.choice(sequences), letters, probability)
        if gaps:
            at = random_numbers.randrange(len(child) - 8)
            del child[at : at + random_numbers.randrange(8)]
        sequences.append(child)
    return sequences


def write_fasta(path, sequences):
    path.write_text("".join(f">s{i}\n{''.join(s)}\n" for i, s in enumerate(sequences)))


def write_genome(path, random_numbers):
    """Genes on both strands, with what is between them."""
    codons = [a + b + c for a in "ACGT" for b in "ACGT" for c in "ACGT"]
    sense = [codon for codon in codons if codon not in ("TAA", "TAG", "TGA")]
    weights = [random_numbers.random() ** 2 for _ in sense]
    complement = str.maketrans("ACGT", "TGCA")
    parts = []
    for _ in range(500):
        gene = "AGGAGG" + "".join(random_numbers.choice("ACGT") for _ in range(6)) + "ATG"
        gene += "".join(random_numbers.choices(sense, weights, k=random_numbers.randrange(60, 400)))
        gene += random_numbers.choice(("TAA", "TAG", "TGA"))
        if random_numbers.random() < 0.5:
            gene = gene.translate(complement)[::-1]
        parts.append(gene)
        parts.append("".join(random_numbers.choice("ACGT") for _ in range(random_numbers.randrange(150))))
    write_fasta(path, ["".join(parts)])


def write_points(path, random_numbers):
    count = 40000
    with path.open("w") as out:
        out.write(f"3\n{count}\n")
        for _ in range(count):
            out.write("{:.6f} {:.6f} {:.6f}\n".format(*(random_numbers.random() for _ in range(3))))


def write_samples(path, random_numbers):
    """Two classes that a curved border separates, with noise."""
    with path.open("w") as out:
        for _ in range(3500):
            x = [random_numbers.uniform(-1, 1) for _ in range(10)]
            label = 1 if x[0] * x[1] + x[2] ** 2 - x[3] + random_numbers.gauss(0, 0.2) > 0.2 else -1
            out.write(f"{label} " + " ".join(f"{i + 1}:{v:.5f}" for i, v in enumerate(x)) + "\n")


def write_sound(path, random_numbers):
    """Two channels of 16 bits, 44,100 Hz: chords that decay, and noise."""
    rate = 44100
    data = bytearray()
    notes = []
    for i in range(rate * 50):
        if i % (rate // 4) == 0:
            notes = [110 * 2 ** (random_numbers.randrange(36) / 12) for _ in range(3)]
        t = i % (rate // 4) / rate
        tone = sum(math.sin(2 * math.pi * note * t) for note in notes) * math.exp(-4 * t)
        noise = random_numbers.uniform(-0.2, 0.2)
        data += struct.pack("<hh", int(6000 * (tone + noise)), int(6000 * (tone - noise)))
    path.write_bytes(data)


def write_picture(path, random_numbers):
    width, height = 1600, 1000
    data = bytearray()
    for y in range(height):
        for x in range(width):
            wave = math.sin(x / 37) * math.cos(y / 23) + math.sin((x * y) / 9001)
            noise = random_numbers.randrange(16)
            data += bytes((int(128 + 55 * wave) + noise, (x * 255 // width + noise) & 255, (x ^ y) & 255))
    path.write_bytes(f"P6\n{width} {height}\n255\n".encode() + data)


def write_formula(path, random_numbers):
    """A random 3-SAT formula, near the ratio at which it is hard."""
    variables = 230
    clauses = int(variables * 4.26)
    lines = [f"p cnf {variables} {clauses}"]
    for _ in range(clauses):
        chosen = random_numbers.sample(range(1, variables + 1), 3)
        lines.append(" ".join(str(v if random_numbers.random() < 0.5 else -v) for v in chosen) + " 0")
    path.write_text("\n".join(lines) + "\n")


def write_plan(path, random_numbers):
    """A knapsack with several limits, in whole numbers."""
    items, limits = 80, 10
    lines = ["max: " + " + ".join(f"{random_numbers.randrange(20, 90)} x{i}" for i in range(items)) + ";"]
    for _ in range(limits):
        weights = [random_numbers.randrange(5, 60) for _ in range(items)]
        terms = " + ".join(f"{w} x{i}" for i, w in enumerate(weights))
        lines.append(f"{terms} <= {sum(weights) // 3};")
    lines += [f"x{i} <= 1;" for i in range(items)]
    lines.append("int " + ", ".join(f"x{i}" for i in range(items)) + ";")
    path.write_text("\n".join(lines) + "\n")


def main():
    directory = pathlib.Path(sys.argv[1])
    writers = {
        "records.json": write_json,
        "records.xml": write_xml,
        "functions.c": write_functions,
        "genome.fasta": write_genome,
        "points": write_points,
        "samples": write_samples,
        "sound.pcm": write_sound,
        "picture.ppm": write_picture,
        "formula.cnf": write_formula,
        "plan.lp": write_plan,
    }
    for name, write in writers.items():
        write(directory / name, random.Random(name))
    numbers = random.Random("sequences")
    write_fasta(directory / "alignment.fasta", family(numbers, "ACGT", 400, 150, 0.05, False))
    write_fasta(directory / "proteins.fasta", family(numbers, "ACDEFGHIKLMNPQRSTVWY", 300, 100, 0.1, True))


main()
