/** The journal's threads in the last build; their behaviour is tested without threads in each part. */
import { afterEach, expect, test } from 'vitest';
import type { Replay } from '../contract/replay-source.js';
import { silentLog } from '../rpc/log.js';
import { systemTimers } from '../rpc/timers.js';
import { PROGRAM_ID } from '../sim/bytes/keys.js';
import { AsOfReads } from './as-of-reads.js';
import { Journal } from './journal.js';
import { cleanUp, LiveBook, newFolder } from './testing.js';
import { TopicReplays } from './topic-replays.js';

afterEach(cleanUp);

test('one writes turns, one makes a book of them, and one plays them', async () => {
  const files = { folder: newFolder(), programId: PROGRAM_ID };
  const book = new LiveBook({ seed: 5 });
  const { turnLog } = book.engine;
  const setup = { ...files, days: 0, bytesMax: 0 };
  const common = { timers: systemTimers, log: silentLog };
  const journal = new Journal({ ...common, setup, turnLog, onEnded: () => undefined });
  turnLog.stop();
  await journal.start();
  for (let at = 0; at < 10; at += 1) {
    book.step();
    journal.endTurn([{ market: 0, classes: 1 }]);
  }
  expect(await journal.flush()).toBe(true);

  const { ts = 0 } = journal.readStats().newest ?? {};
  const moment = { by: 'ts', value: ts } as const;
  const reads = new AsOfReads({ ...common, files, journal });
  const key = { marketType: 'perp', marketIndex: 0 } as const;
  const read = { key, path: 'l3', request: { market: 0 } } as const;
  const reply = await reads.readMoment(
    { moment, bodies: { read } },
    { client: undefined, isGone: () => false },
  );
  expect(reply).toMatchObject({ kind: 'body', asOf: { ts } });

  const replays = new TopicReplays({ ...common, files, journal });
  const spec = { market: 0, channel: 'bbo' } as const;
  const topic = { key, spec, name: 'bbo:SOL-PERP', classIndex: 0 };
  const isFrame = await new Promise((resolve) => {
    const onItem = () => resolve(replay.next instanceof Uint8Array);
    const request = { topic, from: moment, until: moment, speed: 1, id: '' };
    const listener = { onItem, onEnd: () => replay.finish() };
    const replay = replays.openReplay(request, listener) as Replay;
  });
  expect(isFrame).toBe(true);
  for (const one of [replays, reads, journal]) await one.stop();
});
