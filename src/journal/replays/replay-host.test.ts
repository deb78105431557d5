import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import { SceneJournal } from '../../../test/support/scene-journal.js';
import type { ReplayRequest } from '../../contract/replay-source.js';
import type { Timers } from '../../contract/timers.js';
import { Engine } from '../../engine/engine.js';
import { systemTimers } from '../../rpc/timers.js';
import { PROGRAM_ID } from '../../sim/bytes/keys.js';
import { MarketSimulator } from '../../sim/market/market-simulator.js';
import { MomentFinder } from '../as-of/moment-finder.js';
import { REPLAY_SLICE_MS, REPLAY_STILL_MS_MAX } from '../model/limits.js';
import type { FromReplays } from '../model/messages.js';
import { JournalPlayer } from '../store/journal-player.js';
import { ReplayHost } from './replay-host.js';

const START_MS = 1_750_000_000_000;
const TURNS = 300;
/** Frames by which equal replays may be apart: those of a step. */
const FRAMES_APART_MAX = 2;

let journal: SceneJournal;
let request: ReplayRequest;
let messages: FromReplays[];
/** The kinds of all taken events. */
let events: string[];
/** All taken frames and events: frame types with epoch, and event kinds. */
let items: string[];

/** A journal of some turns, 50 ms each. */
beforeEach(() => {
  messages = [];
  events = [];
  items = [];
  journal = new SceneJournal();
  const engine = new Engine({ programId: PROGRAM_ID, epoch: 'e1' });
  journal.attach(engine);
  liveRun(engine, 0, TURNS);
  const market = engine.findMarket('SOL-PERP');
  if (market === undefined) throw new Error('there is a market');
  const spec = { channel: 'book', market: market.id, depth: 20 } as const;
  const topic = { key: market, spec, name: engine.topicName(spec), classIndex: 0 };
  const until = { by: 'ts', value: START_MS + TURNS * 50 } as const;
  request = { topic, from: { by: 'ts', value: START_MS + 50 }, until, speed: 1000, id: '' };
});

/** A run of the service between two turns; in its first turns it has no accounts. */
function liveRun(engine: Engine, from: number, to: number, emptyTurns = 0): void {
  const life = new MarketSimulator({ seed: 7, makers: 10 });
  for (let turn = from; turn <= to; turn += 1) {
    const clock = { slot: 350_000_000 + turn, unixSeconds: START_MS / 1_000 };
    engine.setClock(clock.slot, clock.unixSeconds);
    const lived = turn - from - emptyTurns;
    const writes =
      lived > 0 ? life.nextWrites(clock) : lived === 0 ? life.createGenesis(clock) : [];
    for (const { pubkey, owner, data } of writes) {
      const account = { data: data.toString('base64'), encoding: 'base64' } as const;
      engine.push({ pubkey, owner, slot: clock.slot, ...account });
    }
    const { dirty } = engine.endTurn(START_MS + turn * 50);
    journal.endTurn(dirty.map((market) => ({ market, classes: 0xff })));
  }
  journal.write();
}

afterEach(() => journal.stop());

function hostOf(timers: Timers): ReplayHost {
  const files = { folder: journal.folder, programId: PROGRAM_ID };
  return new ReplayHost({ files, timers, post: (message) => messages.push(message) });
}

/** The readers take all output, and nothing more is written. */
function takeAll(host: ReplayHost): void {
  for (const message of messages.splice(0)) {
    const { id } = message;
    if (message.kind === 'atEnd') {
      host.receiveMessage({ id, kind: 'finish', end: message.end, written: 'whole' });
    } else if (message.kind === 'items') {
      const { bytes, ends, event } = message.items;
      for (const [at, end] of ends.entries()) {
        const frame = JSON.parse(Buffer.from(bytes.subarray(ends[at - 1] ?? 0, end)).toString());
        if (frame.type !== 'heartbeat')
          items.push(`${frame.type} ${frame.epoch}${frame.reset ? ' reset' : ''}`);
      }
      if (event !== null) {
        items.push(event.kind);
        events.push(event.kind);
      }
      host.receiveMessage({ id, kind: 'taken', bytes: bytes.length });
    }
  }
}

test('replays at the highest speed work in short slices and in turns, and rest between them', () => {
  const timers = new ManualTimers();
  let workedMs = 0;
  let restedMs = 0;
  let slices = 0;
  const frames = new Map([1, 2, 3].map((id) => [id, 0]));
  const host = hostOf({
    ...systemTimers,
    // Each step takes a millisecond.
    nowMs: () => {
      workedMs += 1;
      return timers.nowMs() + workedMs;
    },
    after: (delayMs, run) => timers.after(delayMs, run),
  });
  for (const id of frames.keys()) host.receiveMessage({ id, kind: 'open', request, flushedMs: 0 });
  for (let ms = 0; ms < 10_000 && events.length < 3; ms += 1) {
    const before = workedMs;
    timers.advance(1);
    restedMs += 1;
    if (workedMs > before) slices += 1;
    // A round of the three, plus the clock readings.
    expect(workedMs - before).toBeLessThanOrEqual(REPLAY_SLICE_MS + 6);
    for (const message of messages) {
      const sent = message.kind === 'items' ? message.items.ends.length : 0;
      frames.set(message.id, (frames.get(message.id) ?? 0) + sent);
    }
    const counts = [...frames.values()];
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(FRAMES_APART_MAX);
    takeAll(host);
  }
  expect(events).toEqual(['ended', 'ended', 'ended']);
  expect(slices).toBeGreaterThan(50);
  // The clock readings advanced time in between.
  expect(restedMs).toBeGreaterThan((slices * REPLAY_SLICE_MS) / 2);
});

test('one that stands still for long ends; one that plays, or is spoken to, does not', () => {
  const timers = new ManualTimers();
  const host = hostOf(timers);
  host.receiveMessage({ id: 1, kind: 'open', request: { ...request, speed: 1 }, flushedMs: 0 });
  const say = (kind: 'pause' | 'resume'): void =>
    host.receiveMessage({ id: 1, kind: 'command', command: { kind, id: '' }, flushedMs: 0 });
  const pass = (ms: number): void => {
    for (let at = 0; at < ms; at += 250) {
      timers.advance(250);
      takeAll(host);
    }
  };
  pass(5_000);
  say('pause');
  pass(REPLAY_STILL_MS_MAX - 1_000);
  say('pause');
  pass(REPLAY_STILL_MS_MAX - 1_000);
  expect(events).toEqual(['paused', 'paused']);
  pass(2_500);
  expect(events).toEqual(['paused', 'paused', 'failed']);
});

/** Plays to the end of a request, or its failure; returns the output with adjacent duplicates merged. */
function playAll(wish: Partial<ReplayRequest>): readonly string[] {
  const timers = new ManualTimers();
  const host = hostOf(timers);
  host.receiveMessage({ id: 1, kind: 'open', request: { ...request, ...wish }, flushedMs: 0 });
  const isOver = () => ['ended', 'failed'].includes(events.at(-1) ?? '');
  for (let ms = 0; ms < 60_000 && !isOver(); ms += 5) {
    timers.advance(5);
    takeAll(host);
  }
  return items.filter((item, at) => item !== items[at - 1]);
}

/** Two runs of the service; the second has no market in its first turns. */
function restartLife(): void {
  const engine = new Engine({ programId: PROGRAM_ID, epoch: 'e2' });
  journal.restart(engine);
  liveRun(engine, TURNS + 100, TURNS + 300, 20);
}

const tsOf = (turn: number) => ({ by: 'ts', value: START_MS + turn * 50 }) as const;

test('a replay goes on behind a restart, as soon as the new run has the market', () => {
  restartLife();
  const sent = playAll({ until: tsOf(TURNS + 300) });
  const first = ['snapshot e1', 'delta e1', 'hole'];
  expect(sent).toEqual([...first, 'snapshot e2 reset', 'delta e2', 'ended']);
});

test('a replay that ends before the new run has the market ends there', () => {
  restartLife();
  const first = ['snapshot e1', 'delta e1', 'hole'];
  expect(playAll({ until: tsOf(TURNS + 110) })).toEqual([...first, 'ended']);
});

test("runs that never had the market are passed on a replay's way, up to the end of the journal", () => {
  const engine = new Engine({ programId: PROGRAM_ID, epoch: 'e2' });
  journal.restart(engine);
  liveRun(engine, TURNS + 20, TURNS + 40, 100);
  restartLife();
  const empty = new Engine({ programId: PROGRAM_ID, epoch: 'e3' });
  journal.restart(empty);
  liveRun(empty, TURNS + 400, TURNS + 420, 100);
  const sent = playAll({ until: tsOf(TURNS + 500) });
  const first = ['snapshot e1', 'delta e1', 'hole'];
  expect(sent).toEqual([...first, 'snapshot e2 reset', 'delta e2', 'hole', 'ended']);
});

test('readers that open and close again and again make no work, and what they ask is done in slices', () => {
  const timers = new ManualTimers();
  const host = hostOf(timers);
  const name = { by: 'seq', value: 3, epoch: 'e1' } as const;
  const open = (id: number) =>
    host.receiveMessage({ id, kind: 'open', request: { ...request, from: name }, flushedMs: 0 });
  const closed = () => messages.filter(({ kind }) => kind === 'closed').map(({ id }) => id);
  for (let id = 1; id <= 4; id += 1) open(id);
  // Nothing was opened yet, so a missing moment cannot be reported.
  for (let id = 1; id <= 3; id += 1) host.receiveMessage({ id, kind: 'close' });
  expect(closed()).toEqual([1, 2, 3]);
  expect(messages).toHaveLength(3);
  timers.advance(60_000);
  expect(new Set(messages.slice(3).map(({ id }) => id))).toEqual(new Set([4]));
});

test('markets of a run are learned once, also one that the run never had', () => {
  restartLife();
  const finder = new MomentFinder({ folder: journal.folder, programId: PROGRAM_ID });
  const { topic } = request;
  const nobody = { marketType: 'perp', marketIndex: 9_999 } as const;
  const ask = (key: ReplayRequest['topic']['key']): void => {
    const { market } = finder.findMoment({ by: 'seq', value: 3, epoch: 'e1' }, { key });
    expect(market === -1).toBe(key === nobody);
  };
  const steps = vi.spyOn(JournalPlayer.prototype, 'next');
  for (const key of [topic.key, nobody]) ask(key);
  expect(steps).toHaveBeenCalled();
  steps.mockClear();
  for (const key of [topic.key, nobody, topic.key]) ask(key);
  expect(steps).not.toHaveBeenCalled();
  steps.mockRestore();
});

test('a number of a run that has ended ends a replay there', () => {
  restartLife();
  const sent = playAll({ until: { by: 'seq', value: 9_999_999, epoch: 'e1' } });
  expect(sent).toEqual(['snapshot e1', 'delta e1', 'ended']);
});

test('a number within a hole ends a replay before it', () => {
  const engine = new Engine({ programId: PROGRAM_ID, epoch: 'e2' });
  journal.restart(engine);
  liveRun(engine, TURNS + 10, TURNS + 100);
  journal.lose();
  liveRun(engine, TURNS + 101, TURNS + 200);
  const { seq } = engine.version(engine.findMarket('SOL-PERP')?.id ?? -1);
  liveRun(engine, TURNS + 201, TURNS + 250);
  journal.beginSegment();
  liveRun(engine, TURNS + 251, TURNS + 300);
  const sent = playAll({ from: tsOf(TURNS + 50), until: { by: 'seq', value: seq, epoch: 'e2' } });
  expect(sent).toEqual(['snapshot e2', 'delta e2', 'ended']);
});

/** A replay that has reached the end of the written journal, and the numbers of its ends so far. */
function openAtEnd(): { host: ReplayHost; ends: (ms: number) => number[]; kinds: () => string[] } {
  const timers = new ManualTimers();
  const host = hostOf(timers);
  const wish = { ...request, from: tsOf(TURNS - 20), until: null };
  host.receiveMessage({ id: 1, kind: 'open', request: wish, flushedMs: 0 });
  const ends = (ms: number): number[] => {
    timers.advance(ms);
    return messages.flatMap((message) => (message.kind === 'atEnd' ? [message.end] : []));
  };
  const kinds = () =>
    messages.flatMap((message) =>
      message.kind === 'items' && message.items.event !== null ? [message.items.event.kind] : [],
    );
  return { host, ends, kinds };
}

test('what is said of an earlier end is not taken for the present one', () => {
  const { host, ends, kinds } = openAtEnd();
  expect(ends(10_000)).toEqual([1]);
  const command = { kind: 'seek', id: '', from: tsOf(TURNS - 10) } as const;
  host.receiveMessage({ id: 1, kind: 'command', command, flushedMs: 0 });
  expect(ends(10_000)).toEqual([1, 2]);
  const finish = { id: 1, kind: 'finish', written: 'whole' } as const;
  host.receiveMessage({ ...finish, end: 1 });
  ends(1_000);
  expect(kinds()).toEqual(['sought']);
  host.receiveMessage({ ...finish, end: 2 });
  ends(1_000);
  expect(kinds()).toEqual(['sought', 'caughtUp']);
});

test('a journal that is behind is waited for; one that is over ends a replay', () => {
  const { host, ends, kinds } = openAtEnd();
  const finish = { id: 1, kind: 'finish' } as const;
  for (const end of [1, 2, 3]) {
    expect(ends(10_000)).toHaveLength(end);
    host.receiveMessage({ ...finish, end, written: 'behind' });
  }
  expect(ends(10_000)).toHaveLength(4);
  expect(kinds()).toEqual([]);
  host.receiveMessage({ ...finish, end: 4, written: 'over' });
  ends(1_000);
  expect(kinds()).toEqual(['ended']);
});
