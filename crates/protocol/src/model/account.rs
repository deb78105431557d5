//! The kinds of accounts: related programs use the same discriminators for them.

use super::error::ProtocolError;

/// Bytes of the discriminator at the start of an account, which identifies its kind.
pub const DISCRIMINATOR_BYTES: usize = 8;

/// Defines the kinds: variant, discriminator.
macro_rules! account_kinds {
    ($($kind:ident = $discriminator:literal;)*) => {
        /// A kind of account.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum AccountKind {
            $(#[doc = concat!("The account `", stringify!($kind), "`.")] $kind,)*
        }

        impl AccountKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// Returns the first eight bytes of an account of this kind: those of the sha256 of
            /// `account:` and the name. Source: anchor's `Discriminator`.
            #[must_use]
            pub const fn discriminator(self) -> [u8; DISCRIMINATOR_BYTES] {
                match self {
                    $(Self::$kind => u64::to_be_bytes($discriminator),)*
                }
            }
        }

        /// Returns the kind of an account by its discriminator. Does not check owner and length.
        ///
        /// # Errors
        /// [`ProtocolError::WrongLength`] below eight bytes; [`ProtocolError::WrongDiscriminator`]
        /// for a kind that is not in [`AccountKind`].
        #[inline]
        pub fn kind_of(data: &[u8]) -> Result<AccountKind, ProtocolError> {
            let Some(found) = data.first_chunk::<DISCRIMINATOR_BYTES>() else {
                let actual = data.len();
                return Err(ProtocolError::WrongLength { expected: DISCRIMINATOR_BYTES, actual });
            };
            match u64::from_be_bytes(*found) {
                $($discriminator => Ok(AccountKind::$kind),)*
                _ => Err(ProtocolError::WrongDiscriminator { discriminator: *found }),
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/kinds.rs"));
