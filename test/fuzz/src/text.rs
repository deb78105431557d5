//! The text of an account in a response of the RPC: base64, and zstd in it.

use std::cell::RefCell;

use base64_simd::STANDARD;
use slotbook_core::decode::{Decoder, Encoding};
use slotbook_protocol::model::units::Pubkey;
use zstd::bulk::Compressor;

use crate::input::Input;

/// Bytes of the largest account.
const ACCOUNT_BYTES_MAX: usize = 10 << 20;

thread_local! {
    /// One decoder for all inputs, as the service has it: what one text leaves must not reach the next.
    static DECODER: RefCell<Decoder> = RefCell::new(Decoder::default());
    static COMPRESSOR: RefCell<Compressor<'static>> = RefCell::new(Compressor::new(1).unwrap());
}

/// The bytes as one zstd frame.
pub(crate) fn packed(data: &[u8]) -> Vec<u8> {
    COMPRESSOR.with_borrow_mut(|compressor| compressor.compress(data).unwrap())
}

/// The first byte says what the rest is: a text, a text of zstd, the bytes of a zstd frame, the bytes of
/// an account, or a key.
pub(crate) fn run(input: &[u8]) {
    let mut input = Input::new(input);
    let (form, rest) = (input.byte() % 5, input.rest());
    DECODER.with_borrow_mut(|decoder| match form {
        0 => check_text(decoder, rest),
        1 => check_packed(decoder, rest),
        2 => check_packed(decoder, STANDARD.encode_to_string(rest).as_bytes()),
        3 => check_bytes(decoder, rest),
        _ => check_key(decoder, rest),
    });
}

fn check_text(decoder: &mut Decoder, text: &[u8]) {
    let Ok(data) = decoder.data(text, Encoding::Base64) else { return };
    assert_eq!(STANDARD.encode_to_string(data).as_bytes(), text, "one text stands for the bytes");
}

fn check_packed(decoder: &mut Decoder, text: &[u8]) {
    let Ok(data) = decoder.data(text, Encoding::Base64Zstd) else { return };
    assert!(data.len() <= ACCOUNT_BYTES_MAX, "an account is bounded");
    if data.len() < 1 << 16 {
        let data = data.to_vec();
        check_bytes(decoder, &data);
    }
}

/// Both encodings come back, and not when they are cut.
fn check_bytes(decoder: &mut Decoder, data: &[u8]) {
    let text = STANDARD.encode_to_string(data);
    assert_eq!(decoder.data(text.as_bytes(), Encoding::Base64), Ok(data));
    let packed = packed(data);
    let text = STANDARD.encode_to_string(&packed);
    assert_eq!(decoder.data(text.as_bytes(), Encoding::Base64Zstd), Ok(data));
    for cut in [packed.len() - 1, packed.len() / 2, 1] {
        let text = STANDARD.encode_to_string(&packed[..cut]);
        let cut = decoder.data(text.as_bytes(), Encoding::Base64Zstd);
        assert!(cut.is_err(), "a cut frame is an error");
    }
}

fn check_key(decoder: &mut Decoder, text: &[u8]) {
    let Ok(key) = decoder.owner(text) else { return };
    assert_eq!(key.to_string().as_bytes(), text, "one text stands for a key");
    assert_eq!(key.to_string().parse::<Pubkey>(), Ok(key));
}
