/**
 * Compares two readings of one market: the SDK's and slotbook's. Orders on which the two depart by
 * a rule are taken out on both sides and counted by rule; of all others price, size, order and
 * levels must be equal.
 */

const SIDES = ['bids', 'asks'];
/** Clocks of chain and service may be this far apart, so orders that end now are not judged. */
const EXPIRY_MARGIN_S = 5;
/** `User.status`: being liquidated, or bankrupt. */
const OWNER_FROZEN = 3;
/** `User.status`: a protected maker, whom the SDK keeps in lists of their own. */
const OWNER_PROTECTED = 16;

/**
 * Why the two readings of an order may depart; undefined when they must agree. The order decides:
 * the first rule that holds is the one that counts.
 */
export function departure(order, { slot, unixSeconds, step }) {
  const isTrigger = order.type !== 'limit';
  const inAuction = order.auctionDuration > 0 && slot - order.slot <= order.auctionDuration;
  if ((order.owner & OWNER_FROZEN) !== 0) return 'owner being liquidated';
  if ((order.owner & OWNER_PROTECTED) !== 0) return 'protected maker';
  if (!isTrigger && order.maxTs !== 0 && order.maxTs <= unixSeconds + EXPIRY_MARGIN_S) {
    return 'expired, or about to';
  }
  if (order.reduceOnly) return 'reduce-only size';
  if (order.offset !== 0 && order.auctionDuration > 0 && (inAuction || order.postOnly)) {
    return 'oracle offset in auction';
  }
  if (order.offset === 0 && order.price === '0') return 'price zero';
  if (BigInt(order.size) < BigInt(step)) return 'below one step';
  return undefined;
}

/**
 * Compares one market. `sdk` is a book of the SDK's worker, `ours` the bodies `{l2, l3}`, `orders`
 * the fields of all open orders by id, `moment` the slot and second. Adds to `tally`.
 */
export function compareMarket({ sdk, ours, orders, moment, tally }) {
  const { market, step } = sdk;
  const at = { ...moment, step };
  const departs = (id) => {
    const order = orders[id];
    return order === undefined ? undefined : departure(order, at);
  };
  countDepartures({ market, orders, departs, tally });
  const oracle = ours.l2.mmOracleData.price;
  tally.equal('oracle price', oracle, sdk.oracle, market);
  const books = {};
  for (const side of SIDES) {
    const theirs = sdk.orders[side].map((row) => onTick(row, { order: orders[row.id], sdk, side }));
    const own = ours.l3[side].map((row) => ({ ...row, id: `${row.maker}:${row.orderId}` }));
    const [left, right] = [theirs, own].map((rows) => rows.filter(({ id }) => !departs(id)));
    compareOrders({ left, right, orders, name: `${market} ${side}`, tally });
    const out = {
      theirs: theirs.filter(({ id }) => departs(id)),
      own: own.filter(({ id }) => departs(id)),
    };
    compareLevels({ sdk, ours, side, theirs, out, tally });
    books[side] = left;
  }
  const [bid, ask] = SIDES.map((side) => books[side][0]);
  if (bid && ask && BigInt(bid.price) >= BigInt(ask.price)) tally.saw('crossed or locked book');
}

function countDepartures({ market, orders, departs, tally }) {
  for (const [id, order] of Object.entries(orders)) {
    if (order.market !== market) continue;
    const rule = departs(id);
    if (rule !== undefined) tally.departed(rule);
  }
}

/** An oracle-offset price as the program rounds it: to the tick, bids down, asks up. */
function onTick(row, { order, sdk, side }) {
  const sent = { ...row, sdkPrice: row.price };
  if (order === undefined || order.offset === 0) return sent;
  const tick = BigInt(sdk.tick);
  const least = BigInt(row.price) < tick ? tick : BigInt(row.price);
  const over = least % tick;
  const up = side === 'asks' && over !== 0n ? tick : 0n;
  return { ...sent, price: (least - over + up).toString() };
}

/** Price, size and sequence of the orders that must agree. */
function compareOrders({ left, right, orders, name, tally }) {
  const ours = new Map(right.map((row) => [row.id, row]));
  for (const row of left) {
    const own = ours.get(row.id);
    const text = ({ price, size }) => `${price} x ${size}`;
    tally.equal(
      'orders',
      own === undefined ? 'missing' : text(own),
      text(row),
      `${name} ${row.id}`,
    );
    ours.delete(row.id);
    tally.saw(kindOf(orders[row.id]));
    if (row.price !== row.sdkPrice)
      tally.departed('oracle offset price off the tick, compared rounded');
    if (orders[row.id].filled !== '0') tally.saw('partly filled');
  }
  for (const [id] of ours) tally.equal('orders', 'shown', 'missing', `${name} ${id}`);
  compareSequence({ left, right, orders, name, tally });
}

function kindOf({ type, triggered, offset, auctionDuration, market, postOnly }) {
  if (triggered) return `triggered ${type}`;
  if (offset !== 0) return 'oracle offset';
  const where = market.startsWith('spot') ? 'spot limit' : 'perp limit';
  return auctionDuration > 0 && !postOnly ? `${where} after its auction` : where;
}

/**
 * The sequence of orders at one price, in each of the SDK's lists by itself: fixed prices, and each
 * oracle offset. Across lists, and within one slot, the SDK's sequence is that of arrival.
 */
function compareSequence({ left, right, orders, name, tally }) {
  const lists = (rows) => {
    const all = new Map();
    for (const { id, price } of rows) {
      const { offset, slot } = orders[id] ?? { offset: 0, slot: 0 };
      const key = `${price} ${offset}`;
      all.set(key, [...(all.get(key) ?? []), { id, slot }]);
    }
    return all;
  };
  const theirs = lists(left);
  for (const [key, own] of lists(right)) {
    const list = theirs.get(key) ?? [];
    if (list.length < 2) continue;
    tally.saw('ties within one list');
    tally.equal('sequences of a tie', bySlot(own), bySlot(list), `${name} ${key}`);
  }
  const prices = (rows) => rows.map(({ price }) => price).join();
  tally.equal('sequences of a side', prices(right), prices(sorted(left, name)), name);
}

/** The sequence as text, the orders of one slot in the order of their ids. */
function bySlot(rows) {
  const runs = [];
  for (const { id, slot } of rows) {
    const last = runs.at(-1);
    if (last?.slot === slot) last.ids.push(id);
    else runs.push({ slot, ids: [id] });
  }
  return runs.map(({ slot, ids }) => `${slot}: ${ids.sort().join(' ')}`).join(', ');
}

/** Rounding may swap neighbours of different lists; equal prices are equal then. */
function sorted(rows, name) {
  const sign = name.endsWith('bids') ? -1 : 1;
  return [...rows].sort((a, b) => sign * Number(BigInt(a.price) - BigInt(b.price)));
}

/** Levels, less the sizes of the orders that depart. */
function compareLevels({ sdk, ours, side, theirs, out, tally }) {
  const left = new Map();
  for (const [price, size] of sdk.levels[side]) add(left, price, BigInt(size));
  for (const { price, sdkPrice, levelSize } of theirs) {
    if (price === sdkPrice) continue;
    add(left, sdkPrice, -BigInt(levelSize));
    add(left, price, BigInt(levelSize));
  }
  for (const { price, levelSize } of out.theirs) add(left, price, -BigInt(levelSize));
  const right = new Map();
  for (const { price, size } of ours.l2[side]) add(right, price, BigInt(size));
  for (const { price, size } of out.own) add(right, price, -BigInt(size));
  for (const price of new Set([...left.keys(), ...right.keys()])) {
    const [theirSize = 0n, ownSize = 0n] = [left.get(price), right.get(price)];
    if (theirSize === 0n && ownSize === 0n) continue;
    tally.equal('levels', `${ownSize}`, `${theirSize}`, `${sdk.market} ${side} ${price}`);
  }
}

function add(levels, price, size) {
  levels.set(price, (levels.get(price) ?? 0n) + size);
}
