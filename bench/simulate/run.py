"""How quick is `rowkey simulate` beside the same job in DuckDB?

    python3 bench/simulate/run.py [--records 20000000] [--folder FOLDER] [--rowkey target/release/rowkey]

Makes a day of orders (Parquet and CSV) by DuckDB, then lets both encode the key
[md5(user_id).subStr(0,4)][user_id][_][order_id], route it to 16 regions and count by region and minute:

- DuckDB, arithmetic: the region is computed from the hex digits, which works for evenly cut hex digits alone;
- DuckDB, split points: the encoded key against a table of split points (ASOF join), as for any key;
- rowkey simulate: encoded keys against split points, by minute.

All in one run, each in a process of its own; before a time counts, the counts of all three must be the same. DuckDB's Python
package is installed into a virtual environment in the folder if it is not there.
"""

import argparse, json, os, subprocess, sys, time
from pathlib import Path

KEY = "[md5(user_id).subStr(0,4)][user_id][_][order_id]"
SPLITS = [f"{digit:x}" for digit in range(1, 16)]
TABLE = f"""[table]
name = "orders"
key = "{KEY}"
splits = {json.dumps(SPLITS)}
[fields]
user_id = "text"
ts = "timestamp"
order_id = "text"
seller = "text"
amount = "i64"
[families.d]
columns = {{ t = "ts", s = "seller", a = "amount" }}
"""
MAKE = """
import duckdb, sys
parquet, csv, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
duckdb.sql("set enable_progress_bar = false")
rows = f'''select 'u' || (10000000 + hash(i) % 1000000) as user_id,
  (TIMESTAMP_MS '2025-01-01 00:00:00' + to_milliseconds((i * 86400000.0 / {n})::BIGINT))::TIMESTAMP_MS as ts,
  'o' || (100000000 + i) as order_id, 's' || (hash(i + 7) % 5000) as seller, (hash(i + 9) % 100000)::BIGINT as amount
  from range({n}) t(i)'''
duckdb.sql(f"copy ({rows}) to '{parquet}' (format parquet)")
duckdb.sql(f"copy (select user_id, strftime(ts, '%Y-%m-%d %H:%M:%S.%g') as ts, order_id, seller, amount from ({rows})) to '{csv}' (header)")
"""
DUCK = """
import duckdb, json, sys, time
source, form = sys.argv[1], sys.argv[2]
splits = json.loads(sys.argv[3])
key = "substr(md5(user_id), 1, 4) || user_id || '_' || order_id"
duckdb.sql("set enable_progress_bar = false")
duckdb.sql("create table splits(start VARCHAR, region INTEGER)")
duckdb.executemany("insert into splits values (?, ?)", [("", 0)] + [(s, r + 1) for r, s in enumerate(splits)])
read = f"read_parquet('{source}')" if source.endswith("parquet") else f"read_csv('{source}')"
query = {
    "arithmetic": f"select ('0x' || substr({key}, 1, 4))::INTEGER // 4096 as region, epoch_ms(ts) // 60000 as minute, count(*), sum(length({key})) from {read} group by all",
    "split points": f"select region, epoch_ms(ts) // 60000 as minute, count(*), sum(length(key)) from (select {key} as key, ts from {read}) k asof join splits on k.key >= splits.start group by all",
}[form]
began = time.perf_counter()
rows = duckdb.sql(query).fetchall()
seconds = time.perf_counter() - began
regions = [0] * (len(splits) + 1)
for region, minute, count, length in rows:
    regions[region] += count
print(json.dumps({"seconds": seconds, "regions": regions, "cells": len(rows)}))
"""


def run(command):
    """Standard output, seconds and the most memory in MB of a process."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(map(str, command))[:300]}")
    return out.decode(), time.perf_counter() - began, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=20_000_000)
    parser.add_argument("--folder", type=Path, default=Path("target/simulate-bench"))
    parser.add_argument("--rowkey", type=Path, default=Path("target/release/rowkey"))
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    python = folder / "venv/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "duckdb"], check=True)
    parquet, csv, table = (folder / f"orders-{arguments.records}.{end}" for end in ("parquet", "csv", "toml"))
    if not (parquet.exists() and csv.exists()):
        subprocess.run([python, "-c", MAKE, parquet, csv, str(arguments.records)], check=True)
    table.write_text(TABLE)
    print(f"{arguments.records:,} records; the best of {arguments.rounds} rounds")
    for source in (parquet, csv):
        best, counts, memory = {}, {}, {}
        for _ in range(arguments.rounds):
            for form in ("arithmetic", "split points"):
                out, _, most = run([python, "-c", DUCK, source, form, json.dumps(SPLITS)])
                answer = json.loads(out)
                name = f"DuckDB, {form}"
                # Its own clock: starting Python is not counted.
                best[name] = min(best.get(name, 1e9), answer["seconds"])
                counts[name], memory[name] = answer["regions"], most
            command = [arguments.rowkey, "--json", "simulate", table, "--data", source, "--time", "ts", "--step", "1m"]
            out, seconds, most = run(command)
            name = "rowkey simulate"
            best[name] = min(best.get(name, 1e9), seconds)
            counts[name] = json.loads(out)["regions"]["rows"]
            memory[name] = most
        if len({tuple(count) for count in counts.values()}) != 1:
            sys.exit(f"the counts differ: {counts}")
        fastest = min(seconds for name, seconds in best.items() if name.startswith("DuckDB"))
        print(f"\n{source.suffix[1:]} ({source.stat().st_size / 1e6:,.0f} MB)")
        for name, seconds in best.items():
            rate = arguments.records / seconds / 1e6
            print(f"  {name:24} {seconds:7.2f} s  {rate:6.2f} M records/s  {memory[name]:6.0f} MB", end="")
            print(f"  {fastest / seconds:5.2f} × the faster DuckDB" if name.startswith("rowkey") else "")


if __name__ == "__main__":
    main()
