"""Verifies archives as docs/archive-format.md describes them, and prints for each
file the streams that it holds, or why it is none. It knows nothing else of Hearth."""

import hashlib
import json
import re
import struct
import sys


class Bad(Exception):
    pass


def need(holds, why):
    if not holds:
        raise Bad(why)


class Bytes:
    """Bytes that are taken from their front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        need(self.at + n <= len(self.data), "it ends too early")
        self.at += n
        return self.data[self.at - n:self.at]

    def left(self):
        return len(self.data) - self.at

    def number(self, n):
        return int.from_bytes(self.take(n), "big")

    def head(self, major):
        """The argument of a CBOR head, which is as short as it can be."""
        first = self.number(1)
        need(first >> 5 == major, "another type of CBOR")
        info = first & 31
        if info < 24:
            return info
        need(info <= 27, "a head of unknown length")
        size = 1 << (info - 24)
        n = self.number(size)
        need(n >= (24 if size == 1 else 1 << (4 * size)), "a head that is too long")
        return n


def entry(b):
    keys = b.head(5)
    need(keys in (4, 5), "no entry")
    need(b.take(1) == b"\0", "no position")
    seq = b.head(0)
    need(b.take(1) == b"\1", "no epoch")
    epoch = b.head(0)
    need(epoch < 1 << 32, "an epoch that is too high")
    need(b.take(1) == b"\2", "no link")
    link = b.take(b.head(2))
    need(b.take(1) == b"\3", "no bytes")
    data = b.take(b.head(2))
    need(keys == 4 or b.take(2) == b"\4\xf5", "no end of a batch")
    return seq, epoch, link, data, keys == 5


def pairs(members):
    names = [name for name, _ in members]
    need(len(set(names)) == len(names), "a name that comes twice")
    return dict(members)


MEMBERS = ["seq", "id", "ts", "stream_id", "actor", "causation", "correlation_id", "event"]


def envelope(data):
    """The envelope of an event, which is written in one way only."""
    text = data.decode()
    e = json.loads(text, object_pairs_hook=pairs)
    need(type(e) is dict and list(e) == MEMBERS, "an envelope with other members")
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    need(not re.search(r"\s", outside), "an envelope with blanks")
    need(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z", e["ts"]) and not e["ts"].endswith(".000000Z"), "no time")
    for key in ("id", "correlation_id"):
        need(type(e[key]) is str and 1 <= len(e[key].encode()) <= 256 and "\0" not in e[key], "no id")
    need(type(e["actor"]) is dict and (e["causation"] is None or type(e["causation"]) is dict), "no origin")
    need(type(e["event"]) is dict and list(e["event"])[:1] == ["type"] and type(e["event"]["type"]) is str, "no event")
    return e


class Stream:
    def __init__(self, record):
        self.says = json.loads(record)
        identity = bytes.fromhex(self.says["identity"])
        need(len(identity) == 16, "no identity")
        self.link = hashlib.sha256(b"efema/chain/v1/genesis" + identity).digest()
        self.seq = self.epoch = self.bytes = 0
        self.time = ""
        self.ended = True  # the batch

    def run(self, record):
        b = Bytes(record)
        first, count, size, written = struct.unpack(">QQQQ", b.take(32))
        need(first == self.seq + 1 and count > 0 and written < 253402300800000, "a run that does not follow")
        b.take(b.number(1)).decode()
        before = self.bytes
        while b.left():
            seq, epoch, link, data, ends = entry(b)
            need(seq == self.seq + 1, "a position that does not follow")
            need(epoch == self.epoch or epoch > self.epoch and self.ended, "an epoch that does not follow")
            head = struct.pack(">QIQ", seq, epoch, len(data))
            need(link == hashlib.sha256(self.link + head + data).digest(), "a link that does not follow")
            self.seq, self.epoch, self.link, self.ended = seq, epoch, link, ends
            if self.says["kind"] == "events":
                self.event(envelope(data))
            self.bytes += len(data)
        need(self.seq == first + count - 1 and self.bytes == before + size, "a run that counts wrongly")

    def event(self, e):
        time = e["ts"].replace("Z", "" if "." in e["ts"] else ".000000")
        need(e["seq"] == self.seq and self.epoch == 0, "an event that is elsewhere")
        need(e["stream_id"] == self.says["name"], "an event of another stream")
        need(time >= self.time, "a time that goes back")
        self.time = time

    def end(self):
        got = {"head": self.seq, "epoch": self.epoch, "link": self.link.hex(), "bytes": self.bytes}
        need(self.ended and self.seq > 0 and all(self.says[k] == v for k, v in got.items()), "a stream that ends elsewhere")


OF_SPACES = {"rule", "schedule"}
CARRIED = OF_SPACES | {"evaluated", "progress", "state", "run", "letter"}


def read(data):
    b = Bytes(data)
    need(b.take(16) in (b"HEARTH-ARCHIVE\1\n", b"HEARTH-ARCHIVE\2\n"), "no archive")
    known = "MFSR" if data[14] == 1 else "MFTCSRA"
    streams, kinds, types, spaces = [], "", set(), False
    while True:
        kind, size = b.take(1).decode(), b.number(4)
        need(size <= 16842752, "a record that is too large")
        if kind == "E":
            break
        body = b.take(size)
        need((kind == "M") == (kinds == "") and kind in known and (kind not in "FTC" or not streams), "a record that does not belong here")
        kinds += kind
        if kind == "M":
            json.loads(body)
        elif kind == "F":
            need(len(body) > body[0], "a file without its name")
        elif kind == "T":
            t = json.loads(body)
            need(1 <= len(t["name"].encode()) <= 128 and len(t["schema"].encode()) <= 65536, "a type of another size")
            json.loads(t["schema"])
            need((t["space"], t["name"]) not in types, "a type that comes twice")
            types.add((t["space"], t["name"]))
        elif kind == "C":
            need(24 < len(body) <= 24 + 8192 and list(json.loads(body[24:])) in (["outcome"], ["rejection"]), "no command")
        elif kind == "A":
            need(kinds[-2:-1] == "A" or not streams or streams[-1].end() is None, "a stream that ends elsewhere")
            part = json.loads(body)
            need(type(part) is dict and len(part) == 1 and set(part) <= CARRIED, "no part of what rules have left")
            spaces = spaces or part.keys() <= OF_SPACES
            need(spaces == (part.keys() <= OF_SPACES) and (spaces or streams), "a part that does not belong here")
        elif kind == "S":
            need(not spaces, "a stream behind what spaces have")
            if streams:
                streams[-1].end()
            streams.append(Stream(body))
        else:
            need(streams and kinds[-2:-1] != "A", "a run of no stream")
            streams[-1].run(body)
    if streams:
        streams[-1].end()
    need(size == 40 and b.number(8) == len(kinds), "records are missing")
    need(hashlib.sha256(data[:b.at]).digest() == b.take(32) and not b.left(), "another sum")
    names = [(s.says["space"], s.says["name"]) for s in streams]
    need(len(set(names)) == len(names), "a stream that comes twice")
    return [[s.says["name"], s.seq, s.link.hex()] for s in streams]


for path in sys.argv[1:]:
    try:
        with open(path, "rb") as f:
            print(json.dumps({"streams": read(f.read())}))
    except (Bad, ValueError, KeyError, IndexError) as why:
        print(json.dumps({"bad": str(why)}))
