//! Units as types, and division whose name states the direction of rounding.

use core::fmt;

/// The price 1 in price units: prices are integers at 1e6. Source:
/// programs/drift/src/math/constants.rs `PRICE_PRECISION`.
pub const PRICE_PRECISION: u64 = 1_000_000;

/// The base size 1 of a perp market in base units: 1e9. Source:
/// programs/drift/src/math/constants.rs `BASE_PRECISION`.
pub const BASE_PRECISION: u64 = 1_000_000_000;

/// Maximum price of a prediction market, 1e6. Source: programs/drift/src/math/constants.rs
/// `MAX_PREDICTION_MARKET_PRICE`.
pub const PREDICTION_PRICE_MAX: u64 = 1_000_000;

macro_rules! unit {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(out)
            }
        }
    };
}

unit!(
    /// A price of an order or level, 1e6. Zero in an order means that the order has no limit price.
    Price(u64)
);
unit!(
    /// A price that an oracle reports, 1e6. Negative and zero prices are not usable.
    OraclePrice(i64)
);
unit!(
    /// The offset of an order to the oracle's price, 1e6. Zero means a fixed price.
    PriceOffset(i64)
);
unit!(
    /// An amount of the base asset: 1e9 for perps, the token's decimals for spot.
    BaseQty(u64)
);
unit!(
    /// An amount of the quote asset, 1e6.
    QuoteQty(u64)
);
unit!(
    /// A slot of the chain.
    Slot(u64)
);
unit!(
    /// Unix time by the chain's clock, in seconds; 0 in `max_ts` and `expiry_ts` means never.
    UnixSeconds(i64)
);

/// An address of 32 bytes, written in base58.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Pubkey(pub [u8; 32]);

/// Longest text of 32 bytes in base58.
const PUBKEY_TEXT_BYTES_MAX: usize = 44;

impl Pubkey {
    /// Returns the address for a base58 text that is known at compile time.
    ///
    /// # Panics
    /// When the text is not the base58 encoding of 32 bytes, so that the compiler stops.
    #[must_use]
    pub const fn from_base58(text: &str) -> Self {
        Self(five8_const::decode_32_const(text))
    }
}

impl fmt::Display for Pubkey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; PUBKEY_TEXT_BYTES_MAX];
        let written = usize::from(five8::encode_32(&self.0, &mut text));
        out.write_str(str::from_utf8(&text[..written]).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Pubkey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ProtocolError;

    #[test]
    fn pubkey_text_is_read_and_written() {
        let text = "dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH";
        let key: Pubkey = text.parse().unwrap();
        assert_eq!(key.to_string(), text);
        assert_eq!(Pubkey::default().to_string(), "1".repeat(32));
        assert_eq!(Pubkey([255; 32]).to_string().len(), PUBKEY_TEXT_BYTES_MAX);
        assert_eq!(Pubkey::from_base58(text), key);
    }

    #[test]
    fn pubkey_text_of_another_length_or_alphabet_is_refused() {
        for text in ["", "1", "0OIl", &"1".repeat(33), &"z".repeat(44), &"é".repeat(40)] {
            assert_eq!(text.parse::<Pubkey>(), Err(ProtocolError::MalformedPubkey), "{text}");
        }
    }
}
