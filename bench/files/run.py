"""How quickly are packed files read, beside `gzip -dc FILE | rowkey … -`, and plain ones, beside another build?

python3 bench/files/run.py [--rows 3000000] [--rounds 7] [--rowkey target/release/rowkey] [--old OTHER/rowkey]

Writes orders as CSV, JSON Lines, gzip and zstd, once, then encodes their keys in turns. Read the ratios: seconds differ from machine to
machine. A ratio above 1 is quicker than the line that it is compared with.
"""
import argparse
import gzip
import os
import random
import statistics
import subprocess
import tempfile
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("--rows", type=int, default=3_000_000)
arguments.add_argument("--rounds", type=int, default=7)
arguments.add_argument("--rowkey", default="target/release/rowkey")
arguments.add_argument("--old")
arguments.add_argument("--folder", default=tempfile.gettempdir())
arguments = arguments.parse_args()

base = os.path.join(arguments.folder, f"rowkey-files-{arguments.rows}")
KEY = "[salt(16, user_id)][user_id: u64][ts: timestamp desc][order_id: escaped][amount: f64][seller: text]"


def write():
    draw = random.Random(1)
    with open(base + ".csv", "w") as csv, open(base + ".jsonl", "w") as lines:
        csv.write("user_id,ts,order_id,amount,seller\n")
        for number in range(arguments.rows):
            user, ts = draw.randrange(1_000_000), 1_700_000_000_000 + number * 137
            order, amount, seller = f"o{number:09}", draw.randrange(10_000) / 100, f"seller {draw.randrange(5000)}"
            csv.write(f"{user},{ts},{order},{amount},{seller}\n")
            lines.write(
                f'{{"user_id":{user},"ts":{ts},"order_id":"{order}","amount":{amount},"seller":"{seller}"}}\n'
            )
    with open(base + ".csv", "rb") as csv, gzip.open(base + ".csv.gz", "wb", compresslevel=6) as packed:
        while piece := csv.read(1 << 20):
            packed.write(piece)
    subprocess.run(["zstd", "-q", "-f", base + ".csv", "-o", base + ".csv.zst"], check=False)


if not os.path.exists(base + ".csv.gz"):
    write()


def encode(program, data):
    return f"{program} encode '{KEY}' --from {data} > /dev/null 2>&1"


new, old = arguments.rowkey, arguments.old
runs = {"gzip -dc | rowkey": f"gzip -dc {base}.csv.gz | {encode(new, '-')}", "rowkey FILE.csv.gz": encode(new, base + ".csv.gz")}
pairs = [("rowkey FILE.csv.gz", "gzip -dc | rowkey")]
if os.path.exists(base + ".csv.zst"):
    runs["zstd -dc | rowkey"] = f"zstd -dcq {base}.csv.zst | {encode(new, '-')}"
    runs["rowkey FILE.csv.zst"] = encode(new, base + ".csv.zst")
    pairs.append(("rowkey FILE.csv.zst", "zstd -dc | rowkey"))
for kind in ("csv", "jsonl"):
    runs[f"{kind}, this build"] = encode(new, f"{base}.{kind}")
    if old:
        runs[f"{kind}, other build"] = encode(old, f"{base}.{kind}")
        pairs.append((f"{kind}, this build", f"{kind}, other build"))

seconds = {name: [] for name in runs}
for _ in range(arguments.rounds):
    for name, command in runs.items():
        start = time.monotonic()
        subprocess.run(command, shell=True, check=True)
        seconds[name].append(time.monotonic() - start)
for name, own in seconds.items():
    print(f"{name:<22} {statistics.median(own):6.2f} s  {arguments.rows / statistics.median(own) / 1e6:6.2f} M records/s")
for one, other in pairs:
    ratios = [theirs / ours for ours, theirs in zip(seconds[one], seconds[other])]
    print(f"{one} beside {other}: {statistics.median(ratios):.2f}")
