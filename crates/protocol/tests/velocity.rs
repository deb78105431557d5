//! Accounts of Velocity against the fields that another decoder read: five of mainnet, and converted ones of Drift v2.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::fs::{read, read_to_string};
use std::path::PathBuf;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};
use slotbook_protocol::layout::{FieldType, Layout, Shape};
use slotbook_protocol::model::amm::{AmmInputs, AmmQuote, AmmSide, top_of_book_amounts};
use slotbook_protocol::model::clock::SlotSchedule;
use slotbook_protocol::model::enums::{MarketStatus, OracleSource};
use slotbook_protocol::model::error::ProtocolError;
use slotbook_protocol::model::order::{ORDERS, RawOrder};
use slotbook_protocol::model::units::{Pubkey, Slot};
use slotbook_protocol::model::user::POSITIONS;
use slotbook_protocol::model::{AccountKind, Program, kind_of};

use crate::support::{captured as captured_accounts, kind_named};

const PROGRAM: Program = Program::Velocity;

/// Offset of the first order's slot in a user account, and of its oracle offset there: by hand, as no table says.
const FIRST_OFFSET_AT: usize = 1_064 + 72;

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../test/golden/velocity").join(file)
}

fn captured(file: &str) -> Vec<u8> {
    read(path(file)).unwrap()
}

struct Relaid {
    kind: AccountKind,
    data: Vec<u8>,
    expected: Map<String, Value>,
}

fn relaid() -> Vec<Relaid> {
    let text = read_to_string(path("relaid.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of = |line: Value| Relaid {
        kind: kind_named(line["type"].as_str().unwrap()).unwrap(),
        data: BASE64_STANDARD.decode(line["data"].as_str().unwrap()).unwrap(),
        expected: line["expected"].as_object().unwrap().clone(),
    };
    lines.map(of).collect()
}

/// A field by its path, as `feeTiers[2].feeNumerator`: its type and the bytes of it.
fn field<'a>(layout: &Layout, data: &'a [u8], path: &str) -> (FieldType, &'a [u8]) {
    let (mut layout, mut at) = (layout, 0);
    let mut parts = path.split('.').peekable();
    loop {
        let part = parts.next().unwrap();
        let (name, index) = part.split_once('[').map_or((part, None), |(name, index)| {
            (name, Some(index.trim_end_matches(']').parse().unwrap_or(0)))
        });
        let found = layout.fields.iter().find(|field| field.name == name);
        let found = found.unwrap_or_else(|| panic!("{path} is in the table"));
        at += found.offset + index.unwrap_or(0) * found.element.size();
        match (found.element, found.shape, index) {
            (FieldType::Struct(inner), ..) if parts.peek().is_some() => layout = inner,
            (element, Shape::Many(count), None) => {
                return (element, &data[at..at + count * element.size()]);
            }
            (element, ..) => return (element, &data[at..at + element.size()]),
        }
    }
}

/// The texts by which decoders write a field.
fn texts(element: FieldType, bytes: &[u8]) -> [String; 3] {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut wide =
        [if element.name().starts_with('i') && bytes.last().unwrap() >> 7 == 1 { 0xff } else { 0 };
            16];
    wide[..bytes.len().min(16)].copy_from_slice(&bytes[..bytes.len().min(16)]);
    let (signed, unsigned) = (i128::from_le_bytes(wide), u128::from_le_bytes(wide));
    let number =
        if element.name().starts_with('i') { signed.to_string() } else { unsigned.to_string() };
    match element {
        FieldType::Key => [hex, Pubkey(bytes.try_into().unwrap()).to_string(), String::new()],
        FieldType::Bool => [number, if unsigned == 1 { "True" } else { "False" }.to_owned(), hex],
        _ => [number, hex, String::new()],
    }
}

fn check_fields(kind: AccountKind, data: &[u8], expected: &Map<String, Value>) {
    assert_eq!(kind_of(data), Ok(kind));
    assert_eq!(PROGRAM.check(kind, data), Ok(()));
    let layout = PROGRAM.layout(kind).unwrap();
    for (path, value) in expected {
        let (element, bytes) = field(layout, data, path);
        let expected = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let found = texts(element, bytes);
        assert!(found.contains(&expected), "{kind:?}.{path} is {expected}, found {found:?}");
    }
}

#[test]
fn every_field_of_the_real_accounts_is_where_the_tables_say() {
    let manifest: Value =
        serde_json::from_str(&read_to_string(path("manifest.json")).unwrap()).unwrap();
    let files = manifest["files"].as_object().unwrap();
    assert_eq!(files.len(), 5);
    for (file, account) in files {
        let kind = kind_named(account["account"].as_str().unwrap()).unwrap();
        check_fields(kind, &captured(file), account["decoded"].as_object().unwrap());
    }
}

#[test]
fn every_field_of_the_converted_accounts_is_where_the_tables_say() {
    let accounts = relaid();
    assert_eq!(accounts.len(), 18);
    for Relaid { kind, data, expected } in &accounts {
        check_fields(*kind, data, expected);
    }
}

#[test]
fn real_state_and_markets_are_read() {
    let state = PROGRAM.state(&captured("velocity_state.bin")).unwrap();
    assert_eq!(state.slots, SlotSchedule::default(), "no change was known yet");
    // Six tiers are stored, of which the program gives four.
    let fee = |tier| state.perp_fees.tier(tier).fee_numerator;
    assert_eq!([0, 1, 2, 3, 4, 9].map(fee), [42, 36, 33, 30, 30, 30]);
    assert_eq!(state.perp_fees.tier(0).fee_denominator, 120_000);
    let perp = PROGRAM.perp_market(&captured("velocity_perp_market_0.bin")).unwrap();
    assert_eq!((&*perp.terms.name, perp.terms.status), ("SOL-PERP", MarketStatus::Active));
    let amm = &perp.amm;
    assert_eq!((amm.long_spread, amm.short_spread, amm.reference_price_offset), (100, 1_738, -400));
    assert_eq!(amm.base_asset_amount_with_unsettled_lp, 0);
    let spot = PROGRAM.spot_market(&captured("velocity_spot_market_0.bin")).unwrap();
    assert_eq!((&*spot.terms.name, spot.decimals), ("USDT", 6));
    let mint = "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB".parse().unwrap();
    assert_eq!(spot.mint, mint);
}

/// In the slot of its last update the market shows the quotes that the program stored, 300 and 2,138 parts at 1e6 below the
/// price between its reserves; later it moves to the oracle and shows quotes around it.
#[test]
fn the_amm_of_a_real_market_quotes() {
    let amm = PROGRAM.perp_market(&captured("velocity_perp_market_0.bin")).unwrap().amm;
    assert_eq!((amm.program, amm.last_spread_update_slot), (PROGRAM, 438_024_202));
    assert_eq!((amm.concentration_coef, amm.last_funding_oracle_twap), (1_004_142, 76_141_821));
    let (k, product) = (amm.sqrt_k * amm.sqrt_k, amm.base_asset_reserve * amm.quote_asset_reserve);
    assert!(k.abs_diff(product) < k / 100_000_000_000_000, "the reserves lie on the curve");
    let at = |slot, oracle_price| AmmInputs {
        oracle_price,
        oracle_confidence: oracle_price.unsigned_abs() / 500,
        now: amm.last_oracle_price_twap_ts,
        slot,
    };
    let stored = AmmQuote::of(&amm, &at(438_024_202, 76_340_755)).unwrap();
    assert_eq!(stored.curve.reserves, amm.reserves());
    let below = |price: u64| (stored.reserve_price.0 - price) * 1_000_000 / stored.reserve_price.0;
    assert_eq!((below(stored.ask_price.0), below(stored.bid_price.0)), (300, 2_137));
    let quote = AmmQuote::of(&amm, &at(438_024_203, 76_340_755)).unwrap();
    assert_eq!(quote.reserve_price.0, 76_340_754);
    assert!(quote.bid_price.0 <= 76_340_755 && quote.ask_price.0 >= 76_340_755, "{quote:?}");
    // 34.13 of 354.63 is 9.6 % of the liquidity, so the offset is as much of 400.
    assert_eq!(quote.reference_price_offset, -384);
    let moved = amm.before_fill(&at(438_024_203, 76_340_755)).unwrap();
    let bounds = (moved.min_base_asset_reserve, moved.max_base_asset_reserve);
    assert_eq!(bounds, (amm.min_base_asset_reserve, amm.max_base_asset_reserve));
    let mut levels = Vec::new();
    let amounts = top_of_book_amounts(PROGRAM, 0);
    quote.levels(AmmSide::Bid, 100, &amounts, &mut levels).unwrap();
    let worth = |level: usize| levels[level].size * 76_340_755 / 1_000_000_000 / 1_000_000;
    assert_eq!([0, 1, 2, 3].map(worth), [249, 749, 1_999, 4_999]);
    assert_eq!(levels.len(), 100);
}

#[test]
fn the_lengths_of_slots_are_read_of_the_state_of_the_program_that_has_them() {
    let mut data = captured("velocity_state.bin");
    let [length_at, staged_at, staged_from_at, changes_at] = [1_506, 1_508, 1_512, 1_520];
    data[length_at..][..2].copy_from_slice(&350u16.to_le_bytes());
    data[staged_at..][..2].copy_from_slice(&300u16.to_le_bytes());
    data[staged_from_at..][..8].copy_from_slice(&9_000u64.to_le_bytes());
    let changes = [1 << 40, 2 << 40, 0, 4 << 40];
    for (index, first) in changes.into_iter().enumerate() {
        data[changes_at + 8 * index..][..8].copy_from_slice(&u64::to_le_bytes(first));
    }
    let staged_from = Slot(9_000);
    let slots = SlotSchedule { changes, length_ms: 350, staged_ms: 300, staged_from };
    assert_eq!(PROGRAM.state(&data).unwrap().slots, slots);
    let mut drift = data[..Program::Drift.layout(AccountKind::State).unwrap().size].to_vec();
    drift[8..].fill(0xff);
    assert_eq!(Program::Drift.state(&drift).unwrap().slots, SlotSchedule::default());
}

#[test]
fn a_real_oracle_is_read_and_belongs_to_the_program() {
    let data = captured("velocity_oracle_perp.bin");
    let reading = PROGRAM.oracle(OracleSource::PythLazer, &PROGRAM.id(), &data).unwrap();
    assert!((76_000_000..77_000_000).contains(&reading.price.0), "{}", reading.price);
    assert_eq!(reading.confidence, reading.price.0.unsigned_abs() / 500, "it is at its least");
    let owner = Program::Drift.id();
    let error = ProtocolError::WrongOwner { owner };
    assert_eq!(PROGRAM.oracle(OracleSource::PythLazer, &owner, &data), Err(error));
}

#[test]
fn accounts_may_lack_the_padding_at_their_end_or_have_more() {
    for (file, kind, whole) in [
        ("velocity_perp_market_0.bin", AccountKind::PerpMarket, 1_560),
        ("velocity_spot_market_0.bin", AccountKind::SpotMarket, 1_064),
    ] {
        let mut data = captured(file);
        assert!(PROGRAM.check(kind, &data[..data.len() - 1]).is_err(), "a field is cut");
        for length in [whole, whole + 64] {
            data.resize(length, 0);
            assert_eq!(PROGRAM.check(kind, &data), Ok(()));
        }
        assert!(Program::Drift.check(kind, &data).is_err(), "another program's lengths are fixed");
    }
}

#[test]
fn positions_of_converted_users_are_read_with_their_amounts() {
    for Relaid { data, expected, .. } in relaid().iter().filter(|a| a.kind == AccountKind::User) {
        let amount = |path: String| expected[&path].as_str().unwrap().parse::<i128>().unwrap();
        let holdings = PROGRAM.holdings(data).unwrap();
        assert_eq!(holdings.amounts.settled_perp_pnl, amount("settledPerpPnl".to_owned()));
        assert_eq!(holdings.amounts.margin_mode, 0, "the program has no such mode");
        let of_perp = |index: usize| {
            let at = |name: &str| amount(format!("perpPositions[{index}].{name}"));
            let parts =
                ["quoteAssetAmount", "quoteEntryAmount", "openBids", "settledPnl", "openOrders"];
            (at("marketIndex"), at("baseAssetAmount"), parts.map(at))
        };
        let expected_perps: Vec<_> = (0..POSITIONS)
            .map(of_perp)
            .filter(|(_, base, [quote, .., orders])| *base != 0 || *quote != 0 || *orders != 0)
            .collect();
        let perps: Vec<_> = holdings
            .perps
            .iter()
            .map(|perp| {
                let parts = [
                    perp.quote,
                    perp.quote_entry,
                    perp.open_bids,
                    perp.settled_pnl,
                    perp.open_orders,
                ];
                (perp.market_index, perp.base, parts)
            })
            .collect();
        assert_eq!(perps, expected_perps);
        let of_spot = |index: usize| {
            let at = |name: &str| amount(format!("spotPositions[{index}].{name}"));
            [
                at("marketIndex"),
                at("scaledBalance"),
                at("balanceType"),
                at("openBids"),
                at("openOrders"),
            ]
        };
        let expected_spots: Vec<_> = (0..POSITIONS)
            .map(of_spot)
            .filter(|[_, balance, .., orders]| *balance != 0 || *orders != 0)
            .collect();
        let spots: Vec<_> = holdings
            .spots
            .iter()
            .map(|spot| {
                [
                    spot.market_index,
                    spot.scaled_balance,
                    spot.is_borrow,
                    spot.open_bids,
                    spot.open_orders,
                ]
            })
            .collect();
        assert_eq!(spots, expected_spots);
    }
}

#[test]
fn an_offset_beyond_32_bits_is_read_and_seen_to_change() {
    let mut data = relaid().into_iter().find(|a| a.kind == AccountKind::User).unwrap().data;
    for offset in [0, 1, -1, 5_000_000_000, -5_000_000_000, i64::MIN, i64::MAX] {
        let before: [RawOrder; ORDERS] =
            std::array::from_fn(|slot| PROGRAM.user(&data).unwrap().order(slot));
        data[FIRST_OFFSET_AT..][..8].copy_from_slice(&i64::to_le_bytes(offset));
        let user = PROGRAM.user(&data).unwrap();
        assert_eq!(user.order(0).view().oracle_price_offset().0, offset);
        let changes = before[0].view().oracle_price_offset().0 != offset;
        assert_eq!(user.changed_orders(|slot| Some(&before[slot])), Ok(u32::from(changes)));
        let order = user.order(0).view().decode().unwrap();
        assert_eq!(order.price, user.order(0).view().price());
    }
}

/// Real users of Drift v2, and those of them that were converted.
fn real_users() -> Vec<(Program, Vec<u8>)> {
    let captured =
        captured_accounts().into_iter().filter(|account| account.kind == AccountKind::User);
    let drift = captured.map(|account| (Program::Drift, account.data));
    let relaid = relaid().into_iter().filter(|account| account.kind == AccountKind::User);
    drift.chain(relaid.map(|account| (PROGRAM, account.data))).collect()
}

fn contradiction(program: Program, data: &[u8]) -> Option<String> {
    program.user(data).unwrap().contradiction(|_, _| true).unwrap_or_else(|e| Some(e.to_string()))
}

#[test]
fn no_real_user_contradicts_its_layout() {
    let users = real_users();
    assert_eq!(users.len(), 12 + 7);
    for (program, data) in &users {
        assert_eq!(contradiction(*program, data), None, "{program:?}");
    }
}

#[test]
fn a_user_of_the_other_layout_contradicts_it() {
    let mut found = 0;
    for (program, mut data) in real_users() {
        let other = if program == PROGRAM { Program::Drift } else { PROGRAM };
        data.resize(if other == PROGRAM { 4_496 } else { 4_376 }, 0);
        found += usize::from(contradiction(other, &data).is_some());
    }
    assert!(found >= 15, "{found} of 19, and those without orders have little that can contradict");
}

#[test]
fn every_rule_of_users_is_checked_by_either_layout() {
    // By hand, as no table says: openOrders, nextOrderId, and the first padding of order, position, balance and user.
    for (program, [counted, next, order, position, balance, user]) in [
        (Program::Drift, [4_351, 4_336, 1_192 + 95, 424 + 88, 104 + 36, 4_357]),
        (PROGRAM, [4_471, 4_456, 1_064 + 99, 424 + 72, 104 + 36, 4_477]),
    ] {
        let users = real_users();
        let of_it = users.iter().filter(|(of, data)| *of == program && data[counted] > 0);
        let (_, data) = of_it.max_by_key(|(_, data)| data[counted]).unwrap();
        let changed = |at: usize, byte: u8| {
            let mut data = data.clone();
            data[at] = byte;
            contradiction(program, &data).unwrap_or_default()
        };
        let open = data[counted];
        let said = format!("openOrders was 32, must be {open} as its orders are counted");
        assert_eq!(changed(counted, 32), said);
        let mut first = data.clone();
        first[next..next + 4].copy_from_slice(&1_u32.to_le_bytes());
        let said = contradiction(program, &first).unwrap();
        assert!(said.starts_with("nextOrderId was 1, must be above "), "{said}");
        for padding in [order, position, balance, user] {
            assert_eq!(changed(padding, 1), "its padding was not zero", "{program:?} {padding}");
        }
        let unknown = program.user(data).unwrap().contradiction(|_, _| false).unwrap().unwrap();
        assert!(unknown.ends_with(", which is unknown"), "{unknown}");
    }
}

#[test]
fn orders_on_a_clob_are_counted_beside_those_that_the_account_holds() {
    let mut users = real_users().into_iter();
    let (_, mut data) =
        users.find(|(program, data)| *program == PROGRAM && data[4_471] > 0).unwrap();
    data[4_471] += 2;
    assert!(contradiction(PROGRAM, &data).unwrap().starts_with("openOrders was "));
    data[424 + 78] += 2;
    assert_eq!(contradiction(PROGRAM, &data), None, "the position says where they are");
    data[4_471] = 0;
    assert!(contradiction(PROGRAM, &data).unwrap().starts_with("openOrders was 0"));
}
