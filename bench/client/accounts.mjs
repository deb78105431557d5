/**
 * Seeded user accounts as bytes, in captured markets, and prices that move. Both sides of a
 * benchmark make the same of the same seed.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { mulberry32 } from '../workload/mulberry32.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const captured = path.join(root, 'test', 'golden', 'vectors', 'real-accounts', 'accounts');

/** The time of all computations, Unix seconds: live averages depend on it. */
export const NOW_S = 1_772_000_000;

/** Captured markets by index; the account's own index is theirs. */
const PERPS = ['perp-0-sol-202603', 'perp-1-btc-202506', 'perp-2-eth-202603'];
const SPOTS = ['spot-0-usdc-202603', 'spot-1-sol-202506', 'spot-4-weth-202506'];

/** Offsets in a user account. Source: programs/drift/src/state/user.rs. */
const USER = { bytes: 4376, authority: 8, name: 72, spots: 104, perps: 424, orders: 1192 };
const TAIL = { nextOrderId: 4336, subAccountId: 4346, openOrders: 4351, hasOpenOrder: 4352 };
const DISCRIMINATOR = '9f755fe3ef973aec';

/** Prices that accounts are entered at, 1e6, by perp and by spot market. */
const PRICES = {
  perp: { 0: 150_000_000, 1: 64_000_000_000, 2: 3_200_000_000 },
  spot: { 0: 1_000_000, 1: 150_000_000, 4: 3_200_000_000 },
};

/** The bytes of the markets' accounts. */
export function marketAccounts() {
  const read = (name) =>
    Buffer.from(readFileSync(path.join(captured, `${name}.b64`), 'utf8'), 'base64');
  return { perps: PERPS.map(read), spots: SPOTS.map(read) };
}

/** Prices at a tick: SOL moves by 0.05 % a tick, all others stand. */
export function pricesAt(tick) {
  const sol = PRICES.perp[0] + ((tick % 40) - 20) * 75_000;
  const perp = { ...PRICES.perp, 0: sol };
  const spot = { ...PRICES.spot, 1: sol };
  return { perp, spot, mark: { ...perp, 0: sol + 15_000 } };
}

/** User accounts, each with three perp positions, two or three balances and up to eight orders. */
export function userAccounts(count, seed) {
  const next = mulberry32(seed);
  return Array.from({ length: count }, (_, index) => userAccount(index, next));
}

function userAccount(index, next) {
  const bytes = Buffer.alloc(USER.bytes);
  bytes.write(DISCRIMINATOR, 0, 'hex');
  for (let at = USER.authority; at < USER.authority + 32; at += 4) {
    bytes.writeUInt32LE(Math.floor(next() * 2 ** 32), at);
  }
  bytes.write(`Account ${index}`.padEnd(32), USER.name);
  bytes.writeUInt16LE(index % 8, TAIL.subAccountId);
  writeSpots(bytes, next);
  const orders = PERPS.flatMap((_, market) => writePerp(bytes, market, next));
  for (const [slot, order] of orders.entries()) writeOrder(bytes, slot, order);
  bytes.writeUInt32LE(orders.length + 1, TAIL.nextOrderId);
  bytes.writeUInt8(orders.length, TAIL.openOrders);
  bytes.writeUInt8(orders.length > 0 ? 1 : 0, TAIL.hasOpenOrder);
  return bytes;
}

function writeSpots(bytes, next) {
  const balances = [
    { market: 0, scaled: BigInt(Math.floor((2_000 + next() * 200_000) * 1e9)), isBorrow: false },
    { market: 1, scaled: BigInt(Math.floor(next() * 400 * 1e9)), isBorrow: next() < 0.3 },
  ];
  if (next() < 0.5) balances.push({ market: 4, scaled: BigInt(Math.floor(next() * 9e9)) });
  for (const [slot, { market, scaled, isBorrow }] of balances.entries()) {
    const at = USER.spots + slot * 40;
    bytes.writeBigUInt64LE(scaled, at);
    bytes.writeUInt16LE(market, at + 32);
    bytes.writeUInt8(isBorrow ? 1 : 0, at + 34);
  }
}

/** A position entered within a tenth of the price; returns the orders of its market. */
function writePerp(bytes, market, next) {
  const at = USER.perps + market * 96;
  const price = PRICES.perp[market] * (0.9 + next() * 0.2);
  const notional = 1_000 + next() * 60_000;
  const size = Math.floor((notional * 1e6 * 1e9) / price / 1e6) * 1e6;
  const sign = next() < 0.5 ? 1 : -1;
  const entry = -sign * Math.floor((size / 1e9) * price);
  const fees = Math.floor(notional * 400);
  bytes.writeBigInt64LE(BigInt(Math.floor((next() - 0.5) * 1e9)), at);
  bytes.writeBigInt64LE(BigInt(sign * size), at + 8);
  bytes.writeBigInt64LE(BigInt(entry - fees + Math.floor((next() - 0.5) * 1e8)), at + 16);
  bytes.writeBigInt64LE(BigInt(entry - fees), at + 24);
  bytes.writeBigInt64LE(BigInt(entry), at + 32);
  bytes.writeBigInt64LE(BigInt(Math.floor((next() - 0.5) * 1e9)), at + 56);
  bytes.writeUInt16LE(market, at + 92);
  const orders = Array.from({ length: Math.floor(next() * 3.6) }, () => ({
    market,
    isBid: next() < 0.5,
    price: BigInt(Math.floor(PRICES.perp[market] * (0.95 + next() * 0.1))),
    size: BigInt(Math.max(1, Math.floor(next() * 10)) * Math.floor(size / 20)),
  }));
  const sum = (isBid) =>
    orders.filter((o) => o.isBid === isBid).reduce((total, o) => total + o.size, 0n);
  bytes.writeBigInt64LE(sum(true), at + 40);
  bytes.writeBigInt64LE(-sum(false), at + 48);
  bytes.writeUInt8(orders.length, at + 94);
  return orders;
}

function writeOrder(bytes, slot, { market, isBid, price, size }) {
  const at = USER.orders + slot * 96;
  bytes.writeBigUInt64LE(350_000_000n + BigInt(slot), at);
  bytes.writeBigUInt64LE(price, at + 8);
  bytes.writeBigUInt64LE(size, at + 16);
  bytes.writeUInt32LE(slot + 1, at + 76);
  bytes.writeUInt16LE(market, at + 80);
  // open, limit, perp; the direction, and post-only.
  bytes.writeUInt8(1, at + 82);
  bytes.writeUInt8(1, at + 83);
  bytes.writeUInt8(1, at + 84);
  bytes.writeUInt8(isBid ? 0 : 1, at + 87);
  bytes.writeUInt8(1, at + 89);
}
