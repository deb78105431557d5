import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { ManualTimers } from '../../test/support/manual-timers.js';
import { Engine } from '../engine/engine.js';
import { systemTimers } from '../rpc/timers.js';
import { PROGRAM_ID } from '../sim/bytes/keys.js';
import type { ReplayHole } from './replay-hole.js';
import { JournalReplayer, type JournalReplayerOptions } from './replayer.js';
import { BLOCK_HEAD_BYTES, PREAMBLE_BYTES } from './store/block-moments.js';
import { newestRun } from './store/listing.js';
import { readSegments } from './store/segment-index.js';
import { segmentName } from './store/segment-name.js';
import { cleanUp, JournalRig, journalOfLife, LiveBook, newFolder, shownBy } from './testing.js';

afterEach(cleanUp);

const SLOT_MS = 400;
const MAKER = '9JtczxrJjPM4J1xooxr2rFXmRivarb4BwjNiBgXDwe2p';

function replayerOf(
  folder: string,
  options: Partial<JournalReplayerOptions> & Pick<JournalReplayerOptions, 'engine'>,
): JournalReplayer {
  const segments = newestRun(readSegments(folder, PROGRAM_ID)) ?? [];
  return new JournalReplayer({
    timers: systemTimers,
    ...{ folder, segments, speed: 0, freshness: () => 'live' },
    ...options,
  });
}

function flip(bytes: Buffer, at: number, bit: number): void {
  bytes.writeUInt8(bytes.readUInt8(at) ^ bit, at);
}

function lastBlocks(bytes: Buffer, count: number): number {
  const blocks: number[] = [];
  for (
    let at = PREAMBLE_BYTES;
    at < bytes.length;
    at += BLOCK_HEAD_BYTES + bytes.readUInt32LE(at)
  ) {
    blocks.push(at);
  }
  return blocks.at(-count) ?? 0;
}

function newEngine(): Engine {
  return new Engine({ programId: PROGRAM_ID, epoch: 'first' });
}

describe('a replay', () => {
  test('shows every moment as it was, over all segments, and keeps topics open', async () => {
    const { folder, book } = await journalOfLife();
    const engine = newEngine();
    const shown: string[] = [];
    let topic = -1;
    let deltas = 0;
    const replayer = replayerOf(folder, {
      engine,
      onTurn: () => {
        shown.push(shownBy(engine));
        const market = engine.findMarket('SOL-PERP')?.id;
        if (topic < 0 && market !== undefined)
          topic = engine.topics.openTopic({ channel: 'book', market, depth: 10 });
        if (topic >= 0 && engine.topics.renderDelta(topic) !== null) deltas += 1;
      },
    });
    await replayer.start();
    // And once more at the end, which publishes everything.
    const all = [...book.shown.values()];
    expect(shown).toEqual([...all, all.at(-1)]);
    expect(deltas).toBeGreaterThan(10);
    expect(replayer.stats()).toMatchObject({ replayedTurns: 60 });
  });

  test('goes on over a change of the chain', async () => {
    const folder = newFolder();
    const book = new LiveBook({ seed: 5 });
    const rig = new JournalRig(book, { folder });
    await rig.write(10);
    book.engine.setEpoch('second');
    await rig.write(10);
    await rig.service.stop();
    const engine = newEngine();
    const shown: string[] = [];
    const onTurn = (): void => void shown.push(shownBy(engine));
    const replayer = replayerOf(folder, { engine, onTurn });
    await replayer.start();
    const all = [...book.shown.values()];
    expect(shown).toEqual([...all, all.at(-1)]);
    expect([shown[0]?.split('\n')[0], engine.epoch]).toEqual(['first', 'second']);
    expect(replayer.stats()).toMatchObject({ replayedTurns: 20, replayedHoles: 0 });
  });

  test('is paced by when each turn ended, times the speed', async () => {
    const { folder } = await journalOfLife();
    const timers = new ManualTimers();
    const atMs: number[] = [];
    const replayer = replayerOf(folder, {
      ...{ engine: newEngine(), speed: 4, timers },
      onTurn: () => void atMs.push(timers.nowMs()),
    });
    let isOver = false;
    const over = replayer.start().finally(() => {
      isOver = true;
    });
    const stepMs = 10;
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      if (timers.waitsMs.length > 0) timers.advance(stepMs);
    }
    await over;
    const gapsMs = atMs.slice(1).map((ms, at) => ms - (atMs[at] ?? 0));
    expect(gapsMs.pop()).toBe(0);
    expect(gapsMs).toHaveLength(59);
    for (const gapMs of gapsMs) expect(Math.abs(gapMs - SLOT_MS / 4)).toBeLessThanOrEqual(stepMs);
  });

  test.each([0, 1, 19, 20, 33, 59])('of moment %i stands at the bytes of then', async (index) => {
    const { folder, book } = await journalOfLife();
    const [moment = '', text] = [...book.shown.entries()][index] ?? [];
    const [slot = 0, tsMs = 0] = moment.split(' ').map(Number);
    const { segments } = readSegments(folder, PROGRAM_ID);
    for (const until of [{ slotMax: slot }, { tsMsMax: tsMs }]) {
      const engine = newEngine();
      const begin = segments.findLast(({ first }) => first.slot <= slot);
      let isLive = false;
      const replayer = replayerOf(folder, {
        ...{ engine, until, segments: begin === undefined ? [] : [begin] },
        onFirstLive: () => {
          isLive = true;
        },
      });
      await replayer.start();
      expect(shownBy(engine)).toBe(text);
      expect([isLive, replayer.status()]).toMatchObject([true, { state: 'live', slot }]);
    }
  });

  describe('of a book that never was live', () => {
    /** A journal whose book first had no account, and was then rebuilt. */
    async function journalOfRebuild(): Promise<{ folder: string; book: LiveBook }> {
      const [folder, book] = [newFolder(), new LiveBook({ seed: 3 })];
      const rig = new JournalRig(book, { folder });
      book.engine.setState('rebuilding');
      book.engine.setClock(book.slot - 1, 1);
      book.engine.endTurn(1);
      await rig.write(4);
      await rig.service.stop();
      return { folder, book };
    }

    test.each([-1, 0, 2])(
      'stands at moment %i with its true state, and is ready',
      async (index) => {
        const { folder, book } = await journalOfRebuild();
        const engine = newEngine();
        const slot = book.slot - 4 + index;
        const opened: boolean[] = [];
        const replayer = replayerOf(folder, {
          ...{ engine, until: { slotMax: slot } },
          onFirstLive: () => opened.push(replayer.status().everLive),
        });
        await replayer.start();
        expect(opened).toEqual([true]);
        expect(replayer.status()).toMatchObject({ state: 'rebuilding', slot, standsStill: true });
        expect(engine.markets().length > 0).toBe(index >= 0);
        if (index >= 0) expect(shownBy(engine)).toBe([...book.shown.values()][index]);
      },
    );

    test('ends ready, and publishes what no mark has', async () => {
      const { folder, book } = await journalOfRebuild();
      const engine = newEngine();
      const told: string[] = [];
      const replayer = replayerOf(folder, {
        engine,
        onFirstLive: () => told.push('first'),
        onTurn: ({ mark }) => told.push(`${mark.length} of ${engine.markets().length}`),
        onEnd: () => told.push('end'),
      });
      await replayer.start();
      const { length } = engine.markets();
      expect(length).toBeGreaterThan(0);
      expect(told.slice(-3)).toEqual([`${length} of ${length}`, 'first', 'end']);
      expect(replayer.status()).toMatchObject({ state: 'rebuilding', standsStill: true });
      expect(shownBy(engine)).toBe([...book.shown.values()].at(-1));
    });
  });

  describe('across a damaged file', () => {
    async function played(share: number, spoil: (bytes: Buffer, at: number) => Buffer) {
      const { folder, book } = await journalOfLife();
      const file = path.join(folder, segmentName(2));
      const bytes = readFileSync(file);
      const to = readSegments(folder, PROGRAM_ID).segments[2]?.first;
      writeFileSync(file, spoil(bytes, Math.floor((bytes.length - 25) * share)));
      const engine = newEngine();
      const shown: string[] = [];
      const resets: number[] = [];
      const holes: ReplayHole[] = [];
      let topic = -1;
      const onTurn = (): void => {
        shown.push(shownBy(engine));
        const market = engine.findMarket('SOL-PERP')?.id;
        if (topic < 0 && market !== undefined)
          topic = engine.topics.openTopic({ channel: 'book', market, depth: 10 });
        else if (engine.topics.renderDelta(topic)?.reset === true) resets.push(shown.length);
      };
      const onHole = (hole: ReplayHole) => void holes.push(hole);
      await replayerOf(folder, { engine, onTurn, onHole }).start();
      return { all: [...book.shown], shown, resets, holes, to };
    }

    const flipped = (bytes: Buffer, at: number): Buffer => {
      flip(bytes, at, 1);
      return bytes;
    };
    test.each<[string, number, (bytes: Buffer, at: number) => Buffer]>([
      ['a flipped bit of its turns', 0.8, flipped],
      ['a flipped bit of its checkpoint', 0.1, flipped],
      ['a flipped bit of its first bytes', 0, flipped],
      ['a flipped bit of its last block', 0.999, flipped],
      ['its end being cut', 0.9, (bytes, at) => bytes.subarray(0, at)],
      ['zeros at its end', 0.9, (bytes, at) => bytes.fill(0, at)],
    ])('it goes on at the next checkpoint: %s', async (_, share, spoil) => {
      const { all, shown, resets, holes, to } = await played(share, spoil);
      const texts = all.map(([, text]) => text);
      const checkpoint = all.findIndex(([moment]) => moment === `${to?.slot} ${to?.ts}`);
      const lost = texts.length + 2 - shown.length;
      expect(lost).toBeGreaterThan(0);
      const before = texts.slice(0, checkpoint + 1 - lost);
      expect(shown).toEqual([...before, ...texts.slice(checkpoint), texts.at(-1)]);
      expect(resets).toEqual([before.length + 1]);
      expect(holes).toEqual([
        {
          ...{ name: segmentName(2), reason: expect.stringMatching(/^[A-Z_]+: .*byte \d+/), to },
          fromSlot: Number(all[before.length - 1]?.[0].split(' ')[0]),
        },
      ]);
    });

    test('what is lost may have the moment of what is left', async () => {
      const [folder, book] = [newFolder(), new LiveBook({ seed: 3 })];
      const rig = new JournalRig(book, { folder });
      await rig.write(5);
      const { slot, engine } = book;
      const tsMs = Number([...book.shown.keys()].at(-1)?.split(' ')[1]);
      const bytes = statSync(path.join(folder, segmentName(1))).size;
      // Another turn of the same slot and millisecond, and the checkpoint after it.
      engine.turnLog.markCheckpoint();
      const { seq } = engine.version(0);
      const bid = { price: 100_000_000n, size: 3_000_000_000n };
      const quotes = [{ bid, ask: null, isOracleOffset: false }];
      engine.setIndicative({ market: 0, maker: MAKER, quotes, tsMs });
      engine.endTurn(tsMs);
      expect(engine.version(0).seq).toBeGreaterThan(seq);
      await rig.flush();
      await rig.write(3);
      await rig.service.stop();
      const holes: ReplayHole[] = [];
      const play = (): Promise<void> =>
        replayerOf(folder, {
          engine: newEngine(),
          onHole: (hole) => void holes.push(hole),
        }).start();
      await play();
      expect(holes).toEqual([]);
      truncateSync(path.join(folder, segmentName(1)), bytes);
      await play();
      expect(holes).toMatchObject([{ name: segmentName(1), fromSlot: slot - 1 }]);
    });

    test('a moment in what is lost is refused, and the last one before it is not', async () => {
      const { folder, book } = await journalOfLife();
      const file = path.join(folder, segmentName(2));
      const { segments } = readSegments(folder, PROGRAM_ID);
      writeFileSync(file, readFileSync(file).subarray(0, -25));
      const slots = [...book.shown.keys()].map((moment) => Number(moment.split(' ')[0]));
      const lost = slots.indexOf(segments[2]?.first.slot ?? 0) - 1;
      const standAt = (slot = 0): Promise<void> =>
        replayerOf(folder, {
          ...{ engine: newEngine(), segments: segments.slice(1, 2) },
          ...{ until: { slotMax: slot }, isBeforeEnd: true },
        }).start();
      await standAt(slots[lost - 1]);
      await expect(standAt(slots[lost])).rejects.toMatchObject({
        message: expect.stringContaining('the file ends within a block'),
      });
    });
  });

  test.each<[string, string, (bytes: Buffer) => void]>([
    ['a flipped bit', 'JOURNAL_CRC_MISMATCH', (bytes) => flip(bytes, bytes.length - 300, 1)],
    // The following bytes are not decompressed, and would be waited for.
    ['a longer block', 'MALFORMED_JOURNAL', (bytes) => flip(bytes, lastBlocks(bytes, 5) + 2, 0x40)],
  ])(
    'of a damaged last file fails with the place, after all that came before it: %s',
    async (_, code, spoil) => {
      const { folder, book } = await journalOfLife();
      const file = path.join(folder, segmentName(3));
      const bytes = readFileSync(file);
      spoil(bytes);
      writeFileSync(file, bytes);
      const engine = newEngine();
      const shown: string[] = [];
      const replayer = replayerOf(folder, { engine, onTurn: () => shown.push(shownBy(engine)) });
      await expect(replayer.start()).rejects.toMatchObject({
        code,
        message: expect.stringMatching(/at byte \d+/),
      });
      expect(shown.length).toBeGreaterThan(40);
      expect(shown).toEqual([...book.shown.values()].slice(0, shown.length));
    },
  );

  test('that has ended grows old as a book without slots does', async () => {
    const { folder } = await journalOfLife();
    const timers = new ManualTimers();
    timers.unixMs = () => 1;
    const engine = newEngine();
    const replayer = replayerOf(folder, {
      ...{ engine, timers },
      freshness: (ageMs) => (ageMs < 500 ? 'live' : 'stale'),
    });
    await replayer.start();
    expect(replayer.status().state).toBe('live');
    timers.advance(1_000);
    expect(replayer.status()).toMatchObject({ state: 'stale', reason: 'the journal has ended' });
    expect(engine.version(0).state).toBe('stale');
    replayer.stop();
  });
});
