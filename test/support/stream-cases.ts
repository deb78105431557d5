/** The cases of test/vectors/stream; {@link recordCases} makes all of them. */
import type { FollowedTopic } from '../../src/follow/follow-options.js';
import { Recorder, type Take, type Vector } from './stream-vectors.js';

const book: FollowedTopic = { channel: 'book', market: 'SOL-PERP', depth: 10 };

type Message = Record<string, unknown> & {
  prev: number;
  seq: number;
  crc: number;
  bids: [string, string, object][];
  asks: [string, string, object][];
};

/** All cases, the same ones each time. */
export async function recordCases(): Promise<readonly Vector[]> {
  const recorder = await Recorder.start();
  try {
    return [
      ...(await good(recorder)),
      ...(await spoilt(recorder)),
      ...(await resumed(recorder)),
      ...(await states(recorder)),
      ...(await beats(recorder)),
      // The last ones: they begin another epoch.
      ...(await epochs(recorder)),
    ];
  } finally {
    await recorder.stop();
  }
}

/** Streams that keep all rules. */
async function good(recorder: Recorder): Promise<readonly Vector[]> {
  const maker = busiestMaker(recorder);
  const plain: readonly (readonly [string, string, FollowedTopic, number])[] = [
    ['clean', 'a snapshot and deltas', book, 16],
    ['clean-grouped', 'levels of 10 ticks', { ...book, grouping: 10 }, 10],
    ['clean-bbo', 'best prices only', { ...book, channel: 'bbo' }, 12],
    ['clean-l3', 'orders: some come, some change, some go', { ...book, channel: 'l3' }, 12],
    ['clean-l3-maker', 'the orders of one maker', { ...book, channel: 'l3', maker }, 6],
  ];
  const vectors: Vector[] = [];
  for (const [name, about, topic, count] of plain) {
    const tape = await recorder.tape(topic);
    vectors.push(vector(name, about, await recorder.record(tape, count), topic));
  }
  return [...vectors, await leavingDepth(recorder)];
}

function busiestMaker({ scene }: Recorder): string {
  const id = scene.engine.findMarket(book.market)?.id ?? -1;
  const { bids } = JSON.parse(Buffer.from(scene.engine.l3({ market: id, depth: 10 })).toString());
  return bids[0].maker;
}

/** A level is pushed out of the ten that are shown, and comes back later without having changed. */
async function leavingDepth(recorder: Recorder): Promise<Vector> {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const tape = await recorder.tape(book);
    const takes = await recorder.record(tape, 14);
    await tape.client.close();
    const at = takes.findIndex((_, index) => hasReturned(takes.slice(0, index + 1)));
    const about = 'a level leaves the shown depth, and enters it again when a better one goes';
    if (at >= 0) return vector('leaving-depth', about, takes.slice(0, at + 2));
  }
  throw new Error('no level left the depth and came back');
}

function hasReturned(takes: readonly Take[]): boolean {
  const [last, ...before] = takes.map(({ text }) => JSON.parse(text) as Message).reverse();
  const first = before.at(-1);
  if (last === undefined || first === undefined) return false;
  const back = last.bids.find((row) => row[1] !== '0' && row === last.bids.at(-1));
  if (back === undefined) return false;
  const wasThere = first.bids.some((row) => row[0] === back[0] && row[1] === back[1]);
  const mentions = before.slice(0, -1).flatMap(({ bids }) => bids);
  const ofIt = mentions.filter(([price]) => price === back[0]);
  return wasThere && ofIt.length === 1 && ofIt[0]?.[1] === '0';
}

/** Streams that lost or got something on the way. */
async function spoilt(recorder: Recorder): Promise<readonly Vector[]> {
  const tape = await recorder.tape(book);
  const takes = await recorder.record(tape, 9);
  const again = await recorder.tape(book);
  const [fresh] = await recorder.takes(again);
  const after = await recorder.record(again, 3);
  if (fresh === undefined) throw new Error('there was no second snapshot');
  const [a, b, c, d, ...rest] = takes as [Take, Take, Take, Take, ...Take[]];
  const at = (frame: number, rule: string) => [{ frame, rule }];
  const broken = (
    name: string,
    about: string,
    frames: readonly Take[],
    frame: number,
    rule: string,
  ) => vector(name, about, frames, book, at(frame, rule), null);
  const changed = (take: Take, change: (message: Message) => void): Take => {
    const message = JSON.parse(take.text) as Message;
    change(message);
    return { ...take, text: JSON.stringify(message) };
  };
  const reset = changed(fresh, (message) => Object.assign(message, { reset: true }));
  const wrongCrc = changed(c, (message) =>
    Object.assign(message, { crc: (message.crc ^ 1) >>> 0 }),
  );
  const wrongSize = changed(fresh, ({ bids }) => {
    bids[2] = [bids[2]?.[0] ?? '', '10000000', { dlob: '10000000' }];
  });
  const linkedEarlier = (take: Take): Take =>
    changed(take, (message) => Object.assign(message, { prev: message.prev - 1 }));
  return [
    vector('earlier-link', 'deltas of a process in which the topic was opened earlier', [
      ...[a, linkedEarlier(b), c, linkedEarlier(d)],
      ...rest,
    ]),
    broken('hole', 'a delta is missing', [a, b, d, ...rest], 2, 'gap'),
    broken('duplicate', 'a delta comes twice', [a, b, c, c, d], 3, 'repeated'),
    broken('out-of-order', 'two deltas come in the wrong order', [a, b, d, c, ...rest], 2, 'gap'),
    broken('no-snapshot', 'a delta comes before any snapshot', [b, c, d], 0, 'noSnapshot'),
    broken('wrong-crc', 'the checksum of a delta is another', [a, b, wrongCrc, d], 2, 'crc'),
    broken('wrong-size', 'one level of a snapshot is another', [wrongSize, ...after], 0, 'crc'),
    broken(
      'empty-level',
      'a snapshot has a level without a size',
      [changed(a, emptied)],
      0,
      'empty',
    ),
    broken(
      'wrong-order',
      'two levels of a snapshot are swapped',
      [changed(a, swapped)],
      0,
      'order',
    ),
    broken(
      'too-deep',
      'a snapshot has more levels than asked for',
      [changed(a, deepened)],
      0,
      'depth',
    ),
    broken(
      'absent-level',
      'a level goes that was not there',
      [a, changed(b, removing)],
      1,
      'absent',
    ),
    vector(
      'healed',
      'a hole, and the snapshot of a second subscription',
      [a, b, d, fresh, ...after],
      book,
      at(2, 'gap'),
    ),
    vector('reset', 'the service left frames out, and says so', [a, b, c, reset, ...after]),
  ];
}

function emptied({ asks }: Message): void {
  asks[4] = [asks[4]?.[0] ?? '', '0', {}];
}

function swapped({ bids }: Message): void {
  bids.splice(3, 2, ...bids.slice(3, 5).reverse());
}

function deepened({ asks }: Message): void {
  const [price = '0', ...rest] = asks.at(-1) ?? [];
  asks.push([`${BigInt(price) + 100n}`, ...rest] as Message['asks'][number]);
}

function removing({ bids }: Message): void {
  bids.unshift(['999999999900', '0', {}]);
}

/** Streams of clients that came back. */
async function resumed(recorder: Recorder): Promise<readonly Vector[]> {
  const tape = await recorder.tape(book);
  const before = await recorder.record(tape, 4);
  await tape.client.close();
  const { epoch, seq } = before.at(-1)?.book ?? { epoch: '', seq: 0 };
  const other = await recorder.tape(book);
  await recorder.record(other, 5);
  const back = await recorder.tape(book, { epoch, seq });
  const missed = await recorder.record(back, 6);
  const late = await recorder.tape(book, { epoch: 'another', seq });
  const anew = await recorder.record(late, 3);
  return [
    vector('resume', 'a client comes back and is sent what it missed', [...before, ...missed]),
    vector('resume-refused', 'it cannot be sent what it missed: a snapshot', [...before, ...anew]),
  ];
}

/** The state changes, and nothing else; a reader that resumes is told of it again. */
async function states(recorder: Recorder): Promise<readonly Vector[]> {
  const { engine } = recorder.scene;
  const tape = await recorder.tape(book);
  const takes = [...(await recorder.record(tape, 3))];
  for (const state of ['lagging', 'stale', 'live'] as const) {
    engine.setState(state);
    recorder.scene.turn([]);
    takes.push(...(await recorder.takes(tape)));
  }
  const { epoch, seq } = takes.at(-1)?.book ?? { epoch: '', seq: 0 };
  const back = await recorder.tape(book, { epoch, seq });
  const again = await recorder.takes(back);
  const after = await recorder.record(tape, 2);
  return [
    vector('state-change', 'the state changes alone: prev and seq are equal', [...takes, ...after]),
    vector('state-repeated', 'after a resume the changes of state come again', [
      ...takes,
      ...again,
    ]),
  ];
}

/** Heartbeats without a gap, and a heartbeat after a missing delta. */
async function beats(recorder: Recorder): Promise<readonly Vector[]> {
  const tape = await recorder.tape(book);
  const takes = await recorder.record(tape, 3);
  const beat = await recorder.heartbeat(tape);
  const after = await recorder.record(tape, 2);
  const missed = await recorder.heartbeat(tape);
  const breach = [{ frame: 5, rule: 'gap' }];
  const frames = [...takes, beat, ...after.slice(0, -1), missed];
  return [
    vector('heartbeat', 'heartbeats between deltas', [...takes, beat, ...after, missed]),
    vector(
      'heartbeat-gap',
      'a heartbeat tells that the last delta is missing',
      frames,
      book,
      breach,
      null,
    ),
  ];
}

/** Another epoch begins, and then a frame of the old one comes. */
async function epochs(recorder: Recorder): Promise<readonly Vector[]> {
  const tape = await recorder.tape(book);
  const takes = [...(await recorder.record(tape, 4))];
  const [old] = takes.splice(-1);
  recorder.scene.engine.setEpoch('e2');
  recorder.scene.turn([]);
  takes.push(...(await recorder.record(tape, 3)));
  if (old === undefined) throw new Error('there was no delta');
  const breach = [{ frame: takes.length, rule: 'epoch' }];
  return [
    vector('epoch-change', 'another epoch begins with a snapshot', takes),
    vector('old-epoch', 'a delta of the epoch before', [...takes, old], book, breach, null),
  ];
}

/** A case; without more, all frames are right and lead to the book of the last one. */
function vector(
  name: string,
  about: string,
  takes: readonly Take[],
  topic: FollowedTopic = book,
  breaches: Vector['expect']['breaches'] = [],
  end: Vector['expect']['book'] | undefined = takes.at(-1)?.book,
): Vector {
  const frames = takes.map(({ text }) => text);
  return { name, about, topic, frames, expect: { breaches, book: end ?? null } };
}
