//! Compression and checksums for bytes on the disk: the recordings of a feed.

use napi::bindgen_prelude::BufferSlice;
use napi_derive::napi;
use zstd::bulk::{Compressor, Decompressor};

/// The level at which zstd takes about as long as copying to a disk does.
const ZSTD_LEVEL: i32 = 3;

/// Compresses and unpacks zstd frames, one whole frame a call, and keeps what it needs for that
/// from call to call.
#[derive(Default)]
#[napi]
pub struct Codec {
    compressor: Option<Compressor<'static>>,
    decompressor: Option<Decompressor<'static>>,
}

#[napi]
impl Codec {
    /// A codec that holds nothing yet.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// The bytes that a compressed form of `length` bytes may need at most.
    #[napi]
    pub fn compressed_bytes_max(&self, length: u32) -> f64 {
        zstd::zstd_safe::compress_bound(usize::try_from(length).unwrap_or(usize::MAX)) as f64
    }

    /// Writes `bytes` as one zstd frame into `out`. The frame carries its length and no checksum.
    /// Returns the bytes written; -1 when they do not fit.
    #[napi]
    pub fn compress(&mut self, bytes: &[u8], mut out: BufferSlice<'_>) -> i32 {
        let compressor = match &mut self.compressor {
            Some(compressor) => compressor,
            None => match Compressor::new(ZSTD_LEVEL) {
                Ok(compressor) => self.compressor.insert(compressor),
                Err(_) => return REFUSED,
            },
        };
        compressor.compress_to_buffer(bytes, &mut *out).map_or(REFUSED, written)
    }

    /// The bytes that zstd frames say they unpack to; -1 when they do not say it, or are none.
    #[napi]
    pub fn decoded_bytes(&self, packed: &[u8]) -> f64 {
        Decompressor::upper_bound(packed).map_or(f64::from(REFUSED), |bytes| bytes as f64)
    }

    /// Unpacks zstd frames into `out`. Returns the bytes written; -1 when the frames are broken or
    /// hold more than fits.
    #[napi]
    pub fn decompress(&mut self, packed: &[u8], mut out: BufferSlice<'_>) -> i32 {
        let decompressor = match &mut self.decompressor {
            Some(decompressor) => decompressor,
            None => match Decompressor::new() {
                Ok(decompressor) => self.decompressor.insert(decompressor),
                Err(_) => return REFUSED,
            },
        };
        decompressor.decompress_to_buffer(packed, &mut *out).map_or(REFUSED, written)
    }
}

/// What stands for a count where there is none.
const REFUSED: i32 = -1;

fn written(bytes: usize) -> i32 {
    i32::try_from(bytes).unwrap_or(i32::MAX)
}
