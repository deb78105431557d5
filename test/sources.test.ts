/** The levels of all sources, over every path and channel, of a market whose AMM is in the book. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { type RunningServer, startServer } from '../src/server/testing/running-server.js';
import { StreamScene } from './support/stream-scene.js';
import { until } from './support/until.js';

/** An oracle price that is older leaves the AMM out. */
const ORACLE_SLOTS_MAX = 160;
const TICK = 100n;

interface Level {
  readonly price: string;
  readonly size: string;
  readonly sources: Readonly<Record<string, string>>;
}

interface Body {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly crossed: boolean;
  readonly bestBidPrice: string;
  readonly bestAskPrice: string;
  readonly markPrice: string;
  readonly [member: string]: unknown;
}

let scene: StreamScene;
let server: RunningServer;

beforeAll(async () => {
  scene = await StreamScene.start();
  scene.live(200);
  server = await startServer(scene.engine);
});

afterAll(async () => {
  server?.close();
  await scene?.stop();
});

async function text(path: string): Promise<string> {
  const answer = await fetch(`${server.url}${path}`);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

const l2 = async (query: string): Promise<Body> => JSON.parse(await text(`/l2?${query}`));

/** What is left of the levels of a side without a source. */
function ofSource(levels: readonly Level[], name: string): [string, string][] {
  return levels.flatMap(({ price, sources }) => {
    const size = sources[name];
    return size === undefined ? [] : [[price, size] as [string, string]];
  });
}

const SIDES = ['bids', 'asks'] as const;

describe('/l2 with the AMM', () => {
  const all = 'marketName=SOL-PERP&depth=1000';

  // Specification: rule-1, rule-2.
  test('is the book without it and the AMM, level by level, and says what it shows', async () => {
    const [plain, whole] = [await l2(all), await l2(`${all}&includeVamm=true`)];
    for (const side of SIDES) {
      expect(ofSource(whole[side], 'dlob')).toEqual(plain[side].map((l) => [l.price, l.size]));
      const chunks = ofSource(whole[side], 'vamm');
      expect(chunks.length).toBeGreaterThan(10);
      expect(chunks.length).toBeLessThanOrEqual(100);
      for (const { size, sources } of whole[side]) {
        const sum = Object.values(sources).reduce((parts, part) => parts + BigInt(part), 0n);
        expect(sum).toBe(BigInt(size));
      }
      const order = whole[side].map(({ price }) => Number(price));
      const sorted = [...new Set(order)].sort((a, b) => (side === 'bids' ? b - a : a - b));
      expect(order).toEqual(sorted);
    }
    const [bid, ask] = [whole.bids[0]?.price, whole.asks[0]?.price];
    expect([whole.bestBidPrice, whole.bestAskPrice]).toEqual([bid, ask]);
    expect(whole.crossed).toBe(Number(bid) > Number(ask));
    const { seq, slot } = whole;
    expect({ seq, slot }).toEqual({ seq: plain['seq'], slot: plain['slot'] });
  });

  test('grouping is of the merged levels', async () => {
    const grouping = 50n;
    const whole = await l2(`${all}&includeVamm=true`);
    const grouped = await l2(`${all}&includeVamm=true&grouping=${grouping}`);
    const grid = grouping * TICK;
    for (const side of SIDES) {
      const sums = new Map<string, bigint>();
      for (const { price, size } of whole[side]) {
        const rest = BigInt(price) % grid;
        const down = BigInt(price) - rest;
        const at = String(side === 'asks' && rest > 0n ? down + grid : down);
        sums.set(at, (sums.get(at) ?? 0n) + BigInt(size));
      }
      const groups = grouped[side].map(({ price, size }) => [price, BigInt(size)]);
      expect(groups).toEqual([...sums]);
    }
  });

  test('a batch has the bodies of /l2', async () => {
    const query = 'marketName=SOL-PERP,SOL-PERP,BTC-PERP&includeVamm=true,,true&depth=700,700,700';
    const { l2s } = JSON.parse(await text(`/batchL2?${query}`));
    expect(l2s).toEqual([
      await l2('marketName=SOL-PERP&depth=700&includeVamm=true'),
      await l2('marketName=SOL-PERP&depth=700'),
      await l2('marketName=BTC-PERP&depth=700&includeVamm=true'),
    ]);
    expect(l2s[0].bids).not.toEqual(l2s[1].bids);
    expect(await text(`/batchL2Cache?${query}`)).toBe(await text(`/batchL2?${query}`));
  });
});

/** The bodies that a socket of the compatible channels was sent, by channel. */
class CompatibleReader {
  readonly bodies = new Map<string, Body[]>();
  readonly #socket: WebSocket;

  constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.on('message', (bytes) => {
      const { channel, data } = JSON.parse(bytes.toString());
      if (data !== undefined) this.of(channel).push(JSON.parse(data));
    });
  }

  of(channel: string): Body[] {
    const bodies = this.bodies.get(channel) ?? [];
    this.bodies.set(channel, bodies);
    return bodies;
  }

  async subscribe(requests: readonly object[]): Promise<void> {
    await new Promise((resolve) => this.#socket.once('open', resolve));
    const market = { type: 'subscribe', marketType: 'perp', market: 'SOL-PERP' };
    for (const request of requests) this.#socket.send(JSON.stringify({ ...market, ...request }));
    const all = () => [...this.bodies.values()].filter(({ length }) => length > 0).length;
    await until('a book of each channel', () => all() === requests.length);
  }

  close(): void {
    this.#socket.terminate();
  }
}

describe('a slot alone', () => {
  const id = (): number => scene.engine.findMarket('SOL-PERP')?.id ?? -1;
  const vammOf = ({ bids }: Body) => ofSource(bids, 'vamm').length;

  /** Lets slots pass without any news, until the AMM is shown otherwise and nothing else is. */
  function passSlots(): void {
    const { engine } = scene;
    const endTurn = engine.endTurn.bind(engine);
    let requoted = false;
    engine.endTurn = (tsMs) => {
      const turn = endTurn(tsMs);
      requoted = turn.requoted.includes(id());
      return turn;
    };
    for (let slot = 0; slot <= ORACLE_SLOTS_MAX + 1 && !requoted; slot += 1) {
      scene.turns += 7;
      scene.turn([]);
    }
    engine.endTurn = endTurn;
    expect(requoted).toBe(true);
  }

  test('goes to those who are shown the AMM and to nobody else; then the oracle is too old', async () => {
    const client = await scene.open();
    const book = { channel: 'book', market: 'SOL-PERP', depth: 500 };
    const [whole, bbo] = [
      await client.follow({ ...book, includeVamm: true }),
      await client.follow({ channel: 'bbo', market: 'SOL-PERP', includeVamm: true }),
    ];
    const plain = [
      await client.follow(book),
      await client.follow({ channel: 'bbo', market: 'SOL-PERP' }),
      await client.follow({ channel: 'l3', market: 'SOL-PERP', depth: 10 }),
    ];
    const compatible = new CompatibleReader(scene.url);
    const channel = { channel: 'orderbook', depth: 500 };
    await compatible.subscribe([channel, { ...channel, includeVamm: false }]);
    const named = (suffix: string) => compatible.of(`orderbook_perp_0${suffix}`);
    expect(vammOf(named('')[0] as Body)).toBeGreaterThan(0);
    expect(vammOf(named('_novamm')[0] as Body)).toBe(0);

    let told = 0;
    for (;;) {
      await client.settle();
      const [wholes, novamms] = [named('').length, named('_novamm').length];
      const seqBefore = scene.engine.version(id()).seq;
      passSlots();
      told += 1;
      const { seq } = scene.engine.version(id());
      expect(seq).toBeGreaterThan(seqBefore);
      await until('the book of the compatible channel', () => named('').length > wholes);
      await until('its newest book', () => named('').at(-1)?.['seq'] === seq);
      await client.settle();
      expect(whole.seq).toBe(seq);
      for (const reader of plain) expect(reader.seq).toBeLessThan(seq);
      expect(
        named('_novamm')
          .slice(novamms)
          .every((body) => body['seq'] !== seq),
      ).toBe(true);
      for (const reader of [whole, bbo, ...plain]) {
        const { shown, read } = scene.bothOf(reader);
        expect(read).toEqual(shown);
      }
      const status = JSON.parse(await text('/status'));
      const market = status.markets.find((one: { symbol: string }) => one.symbol === 'SOL-PERP');
      if (market.vammReason === null) continue;
      expect(market).toMatchObject({ vammShown: false, vammReason: 'oracleStale' });
      break;
    }
    expect(told).toBeGreaterThan(0);
    expect(vammOf(named('').at(-1) as Body)).toBe(0);
    expect(scene.faults).toEqual([]);
    expect(client.faults).toEqual([]);
    compatible.close();
  });
});
