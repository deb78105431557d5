//! Computes the hash of each market's state, and its parts. The orders' part is summed while
//! accounts are applied; the other parts are small and computed on request, account hashes once for
//! each account state.

use slotbook_protocol::model::clock::SlotSchedule;
use slotbook_protocol::model::oracle::OracleReading;

use crate::book::Book;
use crate::ladder::arena::handle_of;
use crate::markets::account::OracleFields;
use crate::markets::exchange::{Exchange, ExchangeTerms};
use crate::markets::market::Market;
use crate::markets::quotes::{MakerQuotes, Quoted};
use crate::model::hash::{HashParts, HashSum, MarketHash, OrderHash, hash_bytes};
use crate::model::market::{MarketId, MarketInfo};
use crate::orders::order_store::bits;

macro_rules! append {
    ($out:expr; $($number:expr),* $(,)?) => {
        $($out.extend_from_slice(&$number.to_le_bytes());)*
    };
}

/// Upper bound for the bytes of the largest hashed part, a perp market's account.
const HASHED_BYTES: usize = 1_024;

impl Book {
    /// Appends the hashes of all markets, in the order of their ids, as of the last turn.
    ///
    /// The first call hashes all orders and enables their maintenance; later calls take at most a
    /// microsecond for each market.
    pub fn market_hashes(&mut self, hashes: &mut Vec<MarketHash>) {
        self.orders.keep_hashes(&mut self.markets);
        let mut bytes = Vec::with_capacity(HASHED_BYTES);
        let exchange = known_terms_hash(&mut self.markets.exchange, &mut bytes);
        let all = self.markets.list.iter_mut();
        hashes.extend(all.map(|market| market_hash(&parts_of(market, exchange, &mut bytes))));
    }

    /// The parts of a market's hash as of the last turn; `None` for an unknown market.
    #[must_use]
    pub fn hash_parts(&mut self, id: MarketId) -> Option<HashParts> {
        self.orders.keep_hashes(&mut self.markets);
        let mut bytes = Vec::new();
        let exchange = known_terms_hash(&mut self.markets.exchange, &mut bytes);
        Some(parts_of(self.markets.list.get_mut(id.index())?, exchange, &mut bytes))
    }

    /// Appends the hashes of all open orders of a market, visible or not, sorted by maker and then
    /// by id. Comparing two lists finds the order in which two books differ. Costs O(orders) of all
    /// markets.
    pub fn order_hashes(&self, id: MarketId, hashes: &mut Vec<OrderHash>) {
        self.each_order_hash(|market, hash| {
            if market == id {
                hashes.push(hash);
            }
        });
    }

    /// Returns [`Book::order_hashes`] of every market, in the order of their ids, at the cost of
    /// one.
    #[must_use]
    pub fn order_hashes_by_market(&self) -> Vec<Vec<OrderHash>> {
        let mut all = vec![Vec::new(); self.markets.list.len()];
        self.each_order_hash(|market, hash| all[market.index()].push(hash));
        all
    }

    /// Calls `each` with every open order and its market, sorted by maker and then by id.
    fn each_order_hash(&self, mut each: impl FnMut(MarketId, OrderHash)) {
        let users =
            (0..self.orders.users.len()).map(|user| (self.orders.users.get(user).key, user));
        let mut users: Vec<_> =
            users.filter(|(_, user)| self.orders.users.get(*user).open != 0).collect();
        users.sort_unstable();
        let mut of_user = Vec::new();
        for (maker, user) in users {
            for slot in bits(self.orders.users.get(user).open) {
                let Some((key, hash)) = self.orders.order_hash(user, slot) else { continue };
                let Some(market) = self.markets.find(key) else { continue };
                let order_id = self.orders.arena.raw(handle_of(user, slot)).view().order_id();
                of_user.push((order_id, hash, market.info.id));
            }
            of_user.sort_unstable();
            for (order_id, hash, market) in of_user.drain(..) {
                each(market, OrderHash { maker, order_id, hash });
            }
        }
    }
}

fn market_hash(parts: &HashParts) -> MarketHash {
    let mut bytes = [0; 4 * size_of::<u64>()];
    let chain = [parts.orders, parts.account, parts.exchange, parts.oracle];
    let (words, _) = bytes.as_chunks_mut::<{ size_of::<u64>() }>();
    words.iter_mut().zip(chain).for_each(|(word, part)| *word = part.to_le_bytes());
    MarketHash { chain: hash_bytes(&bytes), indicative: parts.indicative }
}

fn parts_of(market: &mut Market, exchange: u64, bytes: &mut Vec<u8>) -> HashParts {
    let account = known_account_hash(market, bytes);
    HashParts {
        orders: market.hashes.orders.0,
        account,
        exchange,
        oracle: oracle_hash(market, bytes),
        indicative: indicative_hash(&market.quotes.makers, bytes),
    }
}

fn known_terms_hash(exchange: &mut Exchange, bytes: &mut Vec<u8>) -> u64 {
    *exchange.terms_hash.get_or_insert_with(|| terms_hash(&exchange.terms, bytes))
}

pub(crate) fn terms_hash(terms: &ExchangeTerms, bytes: &mut Vec<u8>) -> u64 {
    bytes.clear();
    bytes.push(terms.status);
    terms.guard_rails.append_bytes(bytes);
    terms.perp_fees.append_bytes(bytes);
    terms.spot_fees.append_bytes(bytes);
    if terms.slots != SlotSchedule::default() {
        let SlotSchedule { changes, length_ms, staged_ms, staged_from } = terms.slots;
        append!(bytes; changes[0], changes[1], changes[2], changes[3]);
        append!(bytes; length_ms, staged_ms, staged_from.0);
    }
    hash_bytes(bytes)
}

fn known_account_hash(market: &mut Market, bytes: &mut Vec<u8>) -> u64 {
    let hash = market.hashes.account.unwrap_or_else(|| account_hash(market, bytes));
    market.hashes.account = Some(hash);
    hash
}

/// Hashes the account fields on which a book depends, without statistics.
pub(crate) fn account_hash(market: &Market, bytes: &mut Vec<u8>) -> u64 {
    bytes.clear();
    append_info(&market.info, bytes);
    append_text(market.unusable.map_or("", |reason| reason.name()), bytes);
    let OracleFields { mm_price, mm_slot, mm_sequence_id, last_price, last_twap, premium, .. } =
        market.oracle_fields;
    append!(bytes; mm_price, mm_slot, mm_sequence_id, last_price, last_twap, premium);
    append!(bytes; market.oracle_fields.confidence_multiplier);
    append!(bytes; market.interest.deposit, market.interest.borrow);
    if let Some(amm) = market.vamm.account() {
        amm.append_bytes(bytes);
    }
    hash_bytes(bytes)
}

fn append_info(info: &MarketInfo, bytes: &mut Vec<u8>) {
    let bits = [info.market_type as u8, info.status as u8, info.oracle_source as u8];
    bytes.extend_from_slice(&bits);
    bytes.extend_from_slice(&[info.paused_operations, u8::from(info.is_prediction)]);
    append!(bytes; info.market_index, info.tick.0, info.step.0, info.min_order_size.0);
    append!(bytes; info.decimals, info.fee_adjustment, info.expiry_ts.0);
    if info.taker_fee_addon_tenth_bps != 0 {
        append!(bytes; info.taker_fee_addon_tenth_bps);
    }
    bytes.extend_from_slice(&info.account.0);
    bytes.extend_from_slice(&info.oracle.0);
    bytes.extend_from_slice(&info.mint.map_or([0; 32], |mint| mint.0));
    append_text(&info.name, bytes);
}

fn oracle_hash(market: &Market, bytes: &mut Vec<u8>) -> u64 {
    bytes.clear();
    append_reading(market.oracle.exchange.as_ref(), bytes);
    append_reading(market.oracle.mm.as_ref(), bytes);
    append_text(market.oracle.excluded.map_or("", |reason| reason.name()), bytes);
    append_text(market.empty.map_or("", |reason| reason.name()), bytes);
    hash_bytes(bytes)
}

fn append_reading(reading: Option<&OracleReading>, bytes: &mut Vec<u8>) {
    bytes.push(u8::from(reading.is_some()));
    let Some(reading) = reading else { return };
    append!(bytes; reading.price.0, reading.confidence, reading.slot.0);
    append!(bytes; reading.sequence_id.unwrap_or(u64::MAX));
    bytes.push(u8::from(reading.has_sufficient_data));
    let average = reading.average.map(|average| (average.price, average.confidence));
    bytes.push(u8::from(average.is_some()));
    let (price, confidence) = average.unwrap_or_default();
    append!(bytes; price, confidence);
}

fn append_text(text: &str, bytes: &mut Vec<u8>) {
    append!(bytes; text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

/// Hashes the quotes as their makers sent them, without ids, slots and expiries, which differ
/// between services.
fn indicative_hash(makers: &[MakerQuotes], bytes: &mut Vec<u8>) -> u64 {
    let mut sum = HashSum::default();
    for MakerQuotes { maker, orders, .. } in makers {
        for Quoted { index, side, is_oracle_offset, price, size, .. } in orders {
            bytes.clear();
            bytes.extend_from_slice(&maker.0);
            bytes.extend_from_slice(&[*side as u8, u8::from(*is_oracle_offset)]);
            append!(bytes; *index as u64, price, size);
            sum.add(hash_bytes(bytes));
        }
    }
    sum.0
}
