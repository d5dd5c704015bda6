"""Generated Python beside code written by hand.

It reads names of candidates from standard input, one a line, does that work for some milliseconds, and answers with a line of
JSON. Its only argument is the file of records.
"""

import json
import struct
import sys
import time

import computed_key
import given_key

TURN = 0.001
MAX = 2**63 - 1


def given_by_hand(order):
    return struct.pack(">BQQ", order.salt, order.user_id, MAX - order.ts) + order.order_id.encode()


def murmur3(data):
    """MurmurHash3 of eight bytes with seed -1."""
    value = 0xFFFFFFFF
    for word in struct.unpack("<II", data):
        word = word * 0xCC9E2D51 & 0xFFFFFFFF
        word = (word << 15 | word >> 17) & 0xFFFFFFFF
        value ^= word * 0x1B873593 & 0xFFFFFFFF
        value = (value << 13 | value >> 19) & 0xFFFFFFFF
        value = value * 5 + 0xE6546B64 & 0xFFFFFFFF
    value ^= 8
    value = (value ^ value >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    value = (value ^ value >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return value ^ value >> 16


def computed_by_hand(order):
    # The low four bits are the remainder, of negative numbers too.
    salt = murmur3(struct.pack(">Q", order.user_id)) & 15
    return struct.pack(">BQQ", salt, order.user_id, MAX - order.ts) + order.order_id.encode()


def checksum(encode, records):
    value = 0xCBF29CE484222325
    for record in records:
        for byte in encode(record):
            value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:x}"


def main():
    given, computed = [], []
    with open(sys.argv[1], encoding="utf-8") as lines:
        for line in lines:
            salt, user_id, ts, order_id = line.rstrip("\n").split("\t")
            same = {"user_id": int(user_id), "ts": int(ts), "order_id": order_id}
            given.append(given_key.Record(salt=int(salt), **same))
            computed.append(computed_key.Record(**same))
    candidates = {
        "given: by hand": (given_by_hand, given),
        "given: generated": (given_key.encode, given),
        "computed: by hand": (computed_by_hand, computed),
        "computed: generated": (computed_key.encode, computed),
    }
    checksums = {name: checksum(*candidate) for name, candidate in candidates.items()}
    for line in sys.stdin:
        name = line.rstrip("\n")
        encode, records = candidates[name]
        passes, start = 0, time.perf_counter()
        while True:
            for record in records:
                encode(record)
            passes += 1
            took = time.perf_counter() - start
            if took >= TURN:
                break
        answer = {"ns_per_key": took * 1e9 / passes / len(records), "checksum": checksums[name]}
        print(json.dumps(answer), flush=True)


main()
