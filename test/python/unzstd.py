"""Unpacks a zstd stream that is flushed now and then: by the package `zstandard`, or by the system's library."""

import ctypes

PLAIN_BYTES_MAX = 80 << 20


def unpacker():
    """A function from the packed bytes of one block after the other to their plain bytes."""
    try:
        import zstandard
        return zstandard.ZstdDecompressor().decompressobj().decompress
    except ImportError:
        return unpacker_of_library(ctypes.CDLL("libzstd.so.1"))


def unpacker_of_library(zstd):
    class Buffer(ctypes.Structure):
        _fields_ = [("start", ctypes.c_char_p), ("size", ctypes.c_size_t), ("at", ctypes.c_size_t)]

    zstd.ZSTD_createDStream.restype = ctypes.c_void_p
    zstd.ZSTD_decompressStream.argtypes = [ctypes.c_void_p] + [ctypes.POINTER(Buffer)] * 2
    zstd.ZSTD_decompressStream.restype = ctypes.c_size_t
    stream, room = zstd.ZSTD_createDStream(), ctypes.create_string_buffer(1 << 17)

    def unpack(packed):
        source, plain = Buffer(packed, len(packed), 0), bytearray()
        while True:
            out = Buffer(ctypes.cast(room, ctypes.c_char_p), len(room), 0)
            if zstd.ZSTD_isError(zstd.ZSTD_decompressStream(stream, out, source)):
                raise ValueError("a block is not zstd")
            plain += room.raw[: out.at]
            if len(plain) > PLAIN_BYTES_MAX:
                raise ValueError("a block is too large")
            if source.at == source.size and out.at < out.size:
                return bytes(plain)

    return unpack
