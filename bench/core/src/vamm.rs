//! Our quotes of a perp market's AMM, from the bytes of its account. `bench/peers/vamm.mjs` answers
//! the same commands.

use std::fmt::Display;
use std::hint::black_box;

use slotbook_protocol::model::Program;
use slotbook_protocol::model::amm::curve::Reserves;
use slotbook_protocol::model::amm::{AmmError, AmmInputs, AmmLevel, AmmQuote, AmmSide, PerpAmm};

use crate::error::BenchError;
use crate::stopwatch::Stopwatch;

/// The request of a command: a market, a moment, and the number of levels.
struct Asked {
    amm: PerpAmm,
    inputs: AmmInputs,
    count: usize,
    amounts: Vec<u64>,
}

/// `vamm HEX PRICE CONFIDENCE NOW SLOT COUNT AMOUNTS`: the quotes and levels of a moment.
///
/// # Errors
/// When the command is not understood.
pub fn vamm(line: &str) -> Result<String, BenchError> {
    let (asked, _) = parse(line)?;
    Ok(answer(&asked).unwrap_or_else(|_| "{\"none\":true}".to_string()))
}

/// `vammtime HEX PRICE CONFIDENCE NOW SLOT COUNT AMOUNTS REPEATS`: levels of both sides, timed.
///
/// # Errors
/// When the command is not understood, or the market has no quote.
pub fn vammtime(line: &str) -> Result<String, BenchError> {
    let unknown = || BenchError::UnknownCommand(line.to_string());
    let (asked, repeats) = parse(line)?;
    let repeats: usize = repeats.and_then(|word| word.parse().ok()).ok_or_else(unknown)?;
    let (mut bids, mut asks) = (Vec::new(), Vec::new());
    let mut levels = 0;
    let watch = Stopwatch::start();
    for _ in 0..repeats {
        quote_both(black_box(&asked), &mut bids, &mut asks).map_err(|_| unknown())?;
        levels += black_box(&bids).len() + black_box(&asks).len();
    }
    let measured = watch.stop(repeats);
    Ok(format!("{{{},\"levels\":{}}}", measured.json(), levels / repeats.max(1)))
}

fn parse(line: &str) -> Result<(Asked, Option<&str>), BenchError> {
    let unknown = || BenchError::UnknownCommand(line.to_string());
    let mut words = line.split_whitespace().skip(1);
    let mut word = || words.next().ok_or_else(unknown);
    let bytes = from_hex(word()?).ok_or_else(unknown)?;
    let amm = Program::Drift.perp_market(&bytes).map(|market| market.amm);
    let (price, confidence, now, slot) = (word()?, word()?, word()?, word()?);
    let slot = slot.parse().map_err(|_| unknown())?;
    let inputs = AmmInputs {
        oracle_price: price.parse().map_err(|_| unknown())?,
        oracle_confidence: confidence.parse().map_err(|_| unknown())?,
        now: now.parse().map_err(|_| unknown())?,
        slot,
    };
    let count = word()?.parse().map_err(|_| unknown())?;
    let amounts = match word()? {
        "-" => Ok(Vec::new()),
        list => list.split(',').map(str::parse).collect(),
    };
    let amounts = amounts.map_err(|_| unknown())?;
    let amm = amm.map_err(|_| unknown())?;
    Ok((Asked { amm, inputs, count, amounts }, words.next()))
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

fn quote_both(
    asked: &Asked,
    bids: &mut Vec<AmmLevel>,
    asks: &mut Vec<AmmLevel>,
) -> Result<AmmQuote, AmmError> {
    let quote = AmmQuote::of(&asked.amm, &asked.inputs)?;
    quote.levels(AmmSide::Bid, asked.count, &asked.amounts, bids)?;
    quote.levels(AmmSide::Ask, asked.count, &asked.amounts, asks)?;
    Ok(quote)
}

fn answer(asked: &Asked) -> Result<String, AmmError> {
    let (mut bids, mut asks) = (Vec::new(), Vec::new());
    let quote = quote_both(asked, &mut bids, &mut asks)?;
    let curve = &quote.curve;
    let reserves = &curve.reserves;
    let terminal = curve.terminal_quote_asset_reserve;
    let earned = [curve.total_fee_minus_distributions, curve.net_revenue_since_last_funding];
    let side = |side: &Reserves, price: u64| list(&[side.base, side.quote, u128::from(price)]);
    Ok(format!(
        "{{\"curve\":{},\"earned\":{},\"reservePrice\":\"{}\",\"spreads\":{},\"bid\":{},\"ask\":{},\
         \"open\":{},\"bids\":{},\"asks\":{}}}",
        list(&[reserves.base, reserves.quote, reserves.sqrt_k, reserves.peg, terminal]),
        list(&earned),
        quote.reserve_price,
        list(&[quote.spreads.long, quote.spreads.short]),
        side(&quote.bid, quote.bid_price.0),
        side(&quote.ask, quote.ask_price.0),
        list(&[quote.open_bids, quote.open_asks]),
        pairs(&bids),
        pairs(&asks),
    ))
}

fn list<T: Display>(values: &[T]) -> String {
    let texts: Vec<String> = values.iter().map(|value| format!("\"{value}\"")).collect();
    format!("[{}]", texts.join(","))
}

fn pairs(levels: &[AmmLevel]) -> String {
    let texts: Vec<String> =
        levels.iter().map(|level| list(&[level.price.0, level.size])).collect();
    format!("[{}]", texts.join(","))
}
