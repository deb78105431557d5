/** Indicative quotes end to end: makers' sockets, the real engine, and who reads the book. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Engine } from '../src/engine/engine.js';
import { JournalReader } from '../src/engine/journal-reader.js';
import { JournalWriter } from '../src/engine/journal-writer.js';
import { PROGRAM_ID } from '../src/sim/bytes/keys.js';
import { makerKey, makerProbe, quotesOf } from './support/maker-client.js';
import { QuoteScene } from './support/quote-scene.js';
import type { Probe } from './support/socket-scene.js';

const first = makerKey(1);
const second = makerKey(2);
const UNIT = 1_000_000_000;
/** Below everything that the market's own makers quote. */
const LOW = 1_000_000;

let scene: QuoteScene;

async function start(): Promise<void> {
  const keys = [first, second].map(({ publicKey }) => publicKey.toBase58());
  scene = await QuoteScene.start(keys);
}

const connect = (keypair = first): Promise<Probe> => makerProbe(scene.quotesUrl, keypair);

beforeEach(start);
afterEach(() => scene.stop());

/** The quotes that are shown when all that was sent has been handled. */
async function expectQuoted(expected: object): Promise<void> {
  await sleep(10);
  expect(await scene.quoted()).toEqual(expected);
}

const none = { bids: [], asks: [] };

interface Walk {
  readonly fills: readonly { source: string; price: string; size: string }[];
}

test('live quotes compete in the auction of /match, for those who ask for them', async () => {
  const probe = await connect();
  const order = `/match?marketName=SOL-PERP&side=buy&size=${UNIT}`;
  const offers = async (query: string) => {
    const { fills } = await scene.get<Walk>(`${order}${query}`);
    return fills.filter(({ source }) => source === 'jit').map(({ price, size }) => [price, size]);
  };
  const auction = (end: number) =>
    `&auctionStart=${LOW}&auctionEnd=${end}&auctionDuration=10&slotsElapsed=10`;
  const { asks } = await scene.book('');
  const touch = Number(asks[0]?.price);
  probe.send(quotesOf(0, { ask: [LOW, UNIT / 2] }));
  await expectQuoted({ bids: [], asks: [[String(touch), String(UNIT / 2)]] });
  const quote = [[String(touch), String(UNIT / 2)]];
  expect(await offers('&includeIndicative=true')).toEqual(quote);
  expect(await offers(`&includeIndicative=true${auction(touch)}`)).toEqual(quote);
  expect(await offers(`&includeIndicative=true${auction(touch - 100)}`)).toEqual([]);
  expect(await offers('')).toEqual([]);
  await sleep(1_000);
  await expectQuoted(none);
  expect(await offers('&includeIndicative=true')).toEqual([]);
});

test('makers that quote at once cost one turn, and their journal replays to the same bytes', async () => {
  const setIndicative = vi.spyOn(scene.engine, 'setIndicative');
  const endTurn = vi.spyOn(scene.engine, 'endTurn');
  const makers = [await connect(first), await connect(second)];
  for (const [index, probe] of makers.entries()) {
    for (let size = 1; size <= 20; size += 1) {
      probe.send(quotesOf(0, { bid: [LOW * (index + 1), size * UNIT] }));
    }
  }
  await Promise.all(makers.map((probe) => probe.settle()));
  await expectQuoted({
    bids: [1, 0].map((index) => [String(LOW * (index + 1)), String(20 * UNIT)]),
    asks: [],
  });
  expect(setIndicative).toHaveBeenCalledTimes(40);
  expect(endTurn.mock.calls.length).toBeLessThan(40);
  const writer = new JournalWriter(PROGRAM_ID);
  writer.append(scene.engine.turnLog.take() ?? new Uint8Array(), 0);
  writer.flush();
  const reader = new JournalReader(PROGRAM_ID);
  for (const { bytes } of writer.takePieces()) reader.pushBytes(bytes);
  const replayed = new Engine({ programId: PROGRAM_ID, epoch: '' });
  let step = replayed.readJournal(reader);
  while (step.kind !== 'moreBytes') step = replayed.readJournal(reader);
  const bodies = (engine: Engine): readonly string[] => [
    Buffer.from(engine.l2({ market: 0, depth: 100, indicative: true })).toString(),
    Buffer.from(engine.l3({ market: 0, indicative: true })).toString(),
  ];
  expect(bodies(replayed)).toEqual(bodies(scene.engine));
});
