/** Results are compared before anything is timed: engines that disagree are not raced. */

/**
 * Throws unless two engines show the same top levels. Each side is `{name, tops}`, the tops being
 * the responses of a `tops` command: bodies of slotbook, or plain pairs of price and size.
 */
export function assertSameTops(a, b) {
  if (a.tops.length !== b.tops.length || a.tops.length === 0) {
    throw new Error(`${a.name} shows ${a.tops.length} books, ${b.name} ${b.tops.length}`);
  }
  a.tops.forEach((top, at) => {
    const [left, right] = [JSON.stringify(plain(top)), JSON.stringify(plain(b.tops[at]))];
    if (left !== right) {
      throw new Error(`book ${at} differs:\n${a.name}: ${left}\n${b.name}: ${right}`);
    }
  });
  return a.tops.reduce((count, top) => count + levelCount(plain(top)), 0);
}

function plain({ market, body, bids, asks }) {
  if (!body) return { market, bids, asks };
  const pair = ({ price, size }) => [price, size];
  return { market, bids: body.bids.map(pair), asks: body.asks.map(pair) };
}

function levelCount({ bids, asks }) {
  return bids.length + asks.length;
}
