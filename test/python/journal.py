"""Reads segments of a journal as docs/journal.md describes them, and rebuilds the accounts' bytes.

    journal.py FILE          what the file holds, as JSON: head, turns, records by kind, SHA-256 of each account
    journal.py FILE KEY      the last bytes of the account with this key (hexadecimal), as base64
"""

import base64
import collections
import hashlib
import json
import struct
import sys
import zlib

from unzstd import unpacker

KINDS = """head state account unchanged stale damaged forgotten clock feedState epoch snapshotBegin snapshotEnd
quotePolicy quotes external turnEnd""".split()
NEW, OWNER, LENGTH, SNAPSHOT, WRITE_VERSION = 1, 2, 4, 8, 16


def blocks(file):
    """The plain bytes of each block up to the end, or to where the file was torn: where none that is good comes behind."""
    if file[:16] != b"slotbook journal" or struct.unpack_from("<I", file, 16) != (2,):
        raise ValueError("not a segment of version 2")
    unpack, at = unpacker(), 20
    while length := good_block(file, at):
        yield unpack(file[at + 24 : at + length])
        at += length
    if any(good_block(file, behind) for behind in range(at + 1, len(file))):
        raise ValueError(f"the block at byte {at} does not check")


def good_block(file, at):
    """The bytes of the block at a place; 0 where there is none that is whole and matches its CRC-32."""
    length, crc = struct.unpack_from("<II", file, at) if at + 24 <= len(file) else (0, 0)
    end = at + 24 + length
    return 24 + length if length and end <= len(file) and zlib.crc32(file[at + 8 : end]) == crc else 0


class Segment:
    def __init__(self):
        self.accounts, self.counts = [], collections.Counter()
        self.head, self.number, self.account_slot = None, 0, 0

    def read(self, plain):
        self.plain, self.at = plain, 0
        while self.at < len(plain):
            kind = KINDS[self.byte() - 1]
            self.counts[kind] += 1
            getattr(self, "read_" + kind)()

    def byte(self):
        return self.take(1)[0]

    def take(self, count):
        if self.at + count > len(self.plain):
            raise ValueError("a record ends within a field")
        self.at += count
        return self.plain[self.at - count : self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def field(self):
        return self.take(self.varint())

    def read_head(self):
        program, created, epoch = self.take(32), self.varint(), self.field().decode()
        self.ts, self.slot, self.seconds = self.varint(), self.varint(), self.signed()
        seqs = [self.varint() for _ in range(self.varint())]
        self.head = {"program": program.hex(), "createdMs": created, "epoch": epoch, "tsMs": self.ts,
                     "slot": self.slot, "seqs": seqs, "accounts": self.varint()}

    def reference(self):
        """The flags and the account of a record about one."""
        flags = self.byte()
        self.number = len(self.accounts) if flags & NEW else self.number + self.signed()
        self.account_slot += self.signed()
        if flags & WRITE_VERSION:
            self.varint()
        if flags & NEW:
            self.accounts.append({"key": self.take(32), "data": bytearray()})
        return flags, self.accounts[self.number]

    def read_account(self):
        flags, account = self.reference()
        data = account["data"]
        if flags & (NEW | OWNER):
            account["owner"] = self.take(32)
        if flags & (NEW | LENGTH):
            length = self.varint()
            data[:] = data[:length] + bytes(max(0, length - len(data)))
        at = 0
        while (length := self.varint()) > 0:
            at += self.varint()
            data[at : at + length] = self.take(length)
            at += length

    def read_damaged(self):
        self.reference()[1]["data"].clear()

    def read_forgotten(self):
        self.number += self.signed()
        self.accounts[self.number] = None

    def read_clock(self):
        self.slot += self.signed()
        self.seconds += self.signed()

    def read_turnEnd(self):
        self.ts += self.signed()
        self.take(3 * self.varint())
        self.field()

    read_unchanged = read_stale = lambda self: self.reference()
    read_state = read_epoch = lambda self: self.field()
    read_feedState = read_quotePolicy = lambda self: self.byte()
    read_snapshotBegin = lambda self: self.signed()
    read_snapshotEnd = lambda self: None
    read_quotes = lambda self: (self.varint(), self.take(32), self.signed(), self.field())
    read_external = lambda self: (self.varint(), self.field(), self.field())


def main(path, key=None):
    segment = Segment()
    with open(path, "rb") as file:
        for plain in blocks(file.read()):
            segment.read(plain)
    accounts = {account["key"].hex(): account["data"] for account in segment.accounts if account}
    if key is not None:
        return print(base64.b64encode(accounts[key]).decode())
    hashes = {key: hashlib.sha256(data).hexdigest() for key, data in accounts.items()}
    moment = {"slot": segment.slot, "tsMs": segment.ts}
    print(json.dumps({"head": segment.head, "records": segment.counts, **moment, "accounts": hashes}))


if __name__ == "__main__":
    main(*sys.argv[1:])
