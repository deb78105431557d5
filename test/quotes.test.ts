/** Indicative quotes end to end: makers' sockets, among them that of the demo, a whole service, and who reads the book. */
import { afterEach, expect, test, vi } from 'vitest';
import { QuoteMaker } from '../src/sim/demo/quote-maker.js';
import { lifeOf } from './simulation/market-life.js';
import { makerKey, makerProbe, quotesOf } from './support/maker-client.js';
import { type World, world } from './world/world.js';

const UNIT = 1_000_000_000;
/** Below everything that the market's own makers quote. */
const LOW = 1_000_000;

let scene: World;

/** A book in which only these makers' quotes change. */
async function start(maker: string): Promise<void> {
  const life = { ...lifeOf(0), writesOf: () => [] };
  scene = await world({ life, flags: { quoteMakers: maker } });
}

afterEach(() => scene.stop());

interface Level {
  readonly price: string;
  readonly sources: Readonly<Record<string, string>>;
}

async function levels(query = '&includeIndicative=true') {
  const body = await scene.service.json(`/l2?marketName=SOL-PERP&depth=1000${query}`);
  return body as unknown as { readonly bids: readonly Level[]; readonly asks: readonly Level[] };
}

/** The levels of both sides that have quotes, as price and size of the quotes. */
async function quoted() {
  const { bids, asks } = await levels();
  const of = (side: readonly Level[]) =>
    side.flatMap(({ price, sources: { indicative } }) =>
      indicative === undefined ? [] : [[price, indicative]],
    );
  return { bids: of(bids), asks: of(asks) };
}

const sizes = async () => Object.values(await quoted()).map(({ length }) => length);

test('live quotes compete in the auction of /match, for those who ask for them', async () => {
  const maker = makerKey(1);
  await start(maker.publicKey.toBase58());
  const probe = await makerProbe(`${scene.service.url.replace('http', 'ws')}/quotes/ws`, maker);
  const order = `/match?marketName=SOL-PERP&side=buy&size=${UNIT}`;
  const offers = async (query: string) => {
    const { fills } = (await scene.service.json(`${order}${query}`)) as unknown as {
      readonly fills: readonly { source: string; price: string; size: string }[];
    };
    return fills.filter(({ source }) => source === 'jit').map(({ price, size }) => [price, size]);
  };
  const auction = (end: number) =>
    `&auctionStart=${LOW}&auctionEnd=${end}&auctionDuration=10&slotsElapsed=10`;
  const touch = Number((await levels('')).asks[0]?.price);
  probe.send(quotesOf(0, { ask: [LOW, UNIT / 2] }));
  await scene.run(10);
  const quote = [[String(touch), String(UNIT / 2)]];
  expect(await quoted()).toEqual({ bids: [], asks: quote });
  expect(await offers('&includeIndicative=true')).toEqual(quote);
  expect(await offers(`&includeIndicative=true${auction(touch)}`)).toEqual(quote);
  expect(await offers(`&includeIndicative=true${auction(touch - 100)}`)).toEqual([]);
  expect(await offers('')).toEqual([]);
  await scene.run(1_000);
  expect(await quoted()).toEqual({ bids: [], asks: [] });
  expect(await offers('&includeIndicative=true')).toEqual([]);
  await probe.close();
});

test("the demo's maker quotes on both sides; one that is cut comes back, and the same seed is the same maker", async () => {
  const [maker, other] = [new QuoteMaker(2), new QuoteMaker(2)];
  expect(other.publicKey).toBe(maker.publicKey);
  expect(new QuoteMaker(3).publicKey).not.toBe(maker.publicKey);
  await start(maker.publicKey);
  const shows = (sides: readonly number[]) =>
    vi.waitFor(async () => expect(await sizes()).toEqual(sides), { timeout: 60_000 });
  other.start(scene.service.url);
  await shows([3, 3]);
  // It takes the place of the one before, who comes back when it is gone.
  maker.start(scene.service.url);
  const replaced = 'slotbook_quote_closes_total{reason="replaced"}';
  await expect.poll(() => scene.service.metric(replaced)).toBe(1);
  maker.stop();
  await shows([0, 0]);
  await shows([3, 3]);
  other.stop();
  await shows([0, 0]);
});
