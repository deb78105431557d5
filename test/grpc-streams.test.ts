/** Streams of scripted gRPC servers through all that goes wrong with them, without a service around them. */
import { base58 } from '@scure/base';
import { afterEach, expect, test } from 'vitest';
import { GrpcSource } from '../src/feed/grpc/grpc-source.js';
import { MergedSources } from '../src/feed/sources/merged-sources.js';
import { GrpcStream } from '../src/rpc/grpc/grpc-stream.js';
import { encodeRequest, type StreamContent } from '../src/rpc/grpc/messages.js';
import { silentLog } from '../src/rpc/log.js';
import { systemTimers } from '../src/rpc/timers.js';
import { Random } from '../src/sim/random.js';
import { ScriptedGrpc } from './scripted-grpc.js';
import { encodeAccount } from './support/grpc-messages.js';
import { RawGrpc } from './support/raw-grpc.js';
import { until } from './support/until.js';

const CUTS = Number(process.env['GRPC_CUTS'] ?? 30);
const SEED = Number(process.env['SEED'] ?? 20_261_123);
const KEYS = Array.from({ length: 8 }, (_, at) => base58.encode(Buffer.alloc(32, at + 1)));
const OWNER = base58.encode(Buffer.alloc(32, 99));
/** Slots that a stream has seen before it is cut: a younger one is read again. */
const SLOTS_BEFORE = 40;

const ends: (() => unknown)[] = [];

afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

/** Accounts that are written, servers that notify of it, and a book that follows them. */
class StreamScene {
  readonly book = new Map<string, string>();
  readonly truth = new Map<string, string>();
  /** Connections that were opened, each of which reads all accounts. */
  opened = 0;
  lost = 0;
  /** The newest slot that was notified. */
  seen = 0;
  slot = 100;

  private constructor(
    readonly servers: readonly ScriptedGrpc[],
    readonly random: Random,
  ) {}

  static async start({ servers: count = 1, token = undefined as string | undefined } = {}) {
    const servers = await Promise.all(
      Array.from({ length: count }, () => ScriptedGrpc.start(null)),
    );
    const scene = new StreamScene(servers, new Random(SEED));
    const sources = servers.map(
      ({ url }) =>
        new GrpcSource({ timers: systemTimers, url, token, programId: OWNER, program: 'drift' }),
    );
    const merged = new MergedSources({ timers: systemTimers, sources });
    ends.push(() => {
      merged.stop();
      for (const server of servers) server.stop();
    });
    merged.connection.start({
      onOpened: () => void scene.#follow(merged),
      onClosed: () => undefined,
      onMalformed: () => undefined,
    });
    await until('the first stream stands', () => scene.opened === 1);
    await until('all streams stand', () => servers.every(({ readerCount }) => readerCount === 1));
    // A key is followed when the server has taken the request: nothing is written before.
    await merged.followOracles(KEYS);
    scene.tick(SLOTS_BEFORE);
    await until('the slots', () => scene.seen === scene.slot);
    return scene;
  }

  async #follow(merged: MergedSources): Promise<void> {
    await merged.subscribeAll({
      onSlot: (notified) => {
        this.seen = notified?.slot ?? 0;
      },
      onUpdate: (update) => {
        if (update?.kind === 'oracle') this.book.set(update.pubkey, update.data);
      },
      onLost: ({ length }) => {
        this.lost += length;
      },
    });
    // The reading of all accounts.
    for (const [pubkey, data] of this.truth) this.book.set(pubkey, data);
    this.opened += 1;
  }

  tick(slots = 1): void {
    for (let left = slots; left > 0; left -= 1) {
      this.slot += 1;
      for (const server of this.servers) {
        server.tellSlot(this.slot - 1, 'processed', this.slot - 2);
        server.tellSlot(this.slot, 'begun', this.slot - 1);
        server.tellSlot(this.slot - 31, 'finalized', this.slot - 32);
      }
    }
  }

  /** Writes, most of them in the same slot; no state comes again. */
  write(count: number): void {
    for (let left = count; left > 0; left -= 1) {
      if (this.random.nextBelow(6) === 0) this.tick();
      this.writeIn(1);
    }
  }

  /** Writes in the slot that has begun. */
  writeIn(count: number): void {
    for (let left = count; left > 0; left -= 1) {
      const pubkey = KEYS[this.random.nextBelow(KEYS.length)] ?? '';
      const bytes = Buffer.alloc(16);
      bytes.writeUInt32LE(this.truth.size + this.random.nextBelow(2 ** 31));
      this.truth.set(pubkey, bytes.toString('base64'));
      for (const server of this.servers)
        server.tellAccount({ pubkey, owner: OWNER, bytes, slot: this.slot });
    }
  }

  follows(): Promise<unknown> {
    return until('the book is the chain', () =>
      [...this.truth].every(([pubkey, data]) => this.book.get(pubkey) === data),
    );
  }
}

test(
  `grpc: a stream that is cut ${CUTS} times in its slots loses no write, whichever server comes next, SEED=${SEED}`,
  async () => {
    const scene = await StreamScene.start();
    const [server] = scene.servers;
    if (server === undefined) throw new Error('Invariant: there is a server');
    let { opened } = scene;
    for (let cut = 1; cut <= CUTS; cut += 1) {
      server.takeFaults({ doubled: cut % 3 === 0, swapped: cut % 2 === 0 });
      scene.write(scene.random.nextBelow(12));
      const streams = server.tokens.length;
      server.cutStreams();
      // These are notified to nobody; the next server has other numbers for them.
      server.versionsFrom = scene.random.nextBelow(1_000_000);
      scene.write(1 + scene.random.nextBelow(4));
      await until(
        'a stream is made again',
        () => server.tokens.length > streams && server.readerCount === 1,
      );
      scene.write(scene.random.nextBelow(4));
      server.takeFaults({});
      await scene.follows();
      // A machine that stands still for seconds has a gap, and a younger stream has one at each cut.
      if (scene.opened === opened) continue;
      opened = scene.opened;
      scene.tick(SLOTS_BEFORE);
      await until('the slots', () => scene.seen === scene.slot);
    }
    expect(scene.lost).toBe(0);
    expect(scene.opened).toBeLessThanOrEqual(1 + CUTS / 10);
    expect(server.fromSlots.length).toBeGreaterThanOrEqual(CUTS - CUTS / 10);
  },
  Math.max(600_000, CUTS * 4_000),
);

test('grpc: a server that does not replay is not taken for one that does, whatever it notifies first', async () => {
  for (const first of ['final', 'new'] as const) {
    const scene = await StreamScene.start();
    const [server] = scene.servers;
    server?.takeFaults({ replay: 'ignored' });
    server?.cutStreams();
    scene.write(3);
    await until('a stream is made again', () => server?.readerCount === 1);
    if (first === 'final') server?.tellSlot(100, 'finalized');
    scene.write(1);
    await until('all accounts are read again', () => scene.opened === 2);
    await scene.follows();
  }
}, 120_000);

test('grpc: a write of a dead slot goes back to what stood before', async () => {
  const scene = await StreamScene.start();
  scene.write(30);
  await scene.follows();
  const before = new Map(scene.truth);
  scene.tick();
  scene.writeIn(4);
  await scene.follows();
  for (const server of scene.servers) server.tellSlot(scene.slot, 'dead');
  await until('what stood before', () =>
    [...before].every(([pubkey, data]) => scene.book.get(pubkey) === data),
  );
  expect(scene).toMatchObject({ opened: 1, lost: 0 });
}, 120_000);

/** What one stream does that is not of a book. */
async function openStream(url: string, token?: string, silentMsMax = 600_000) {
  const contents: StreamContent[] = [];
  const events: string[] = [];
  const logged: string[] = [];
  const log = { ...silentLog, warn: (fields: object) => void logged.push(JSON.stringify(fields)) };
  const encode = (fromSlot: number | null): Buffer =>
    encodeRequest({ owner: OWNER, accounts: KEYS, fromSlot });
  const stream = new GrpcStream({
    timers: systemTimers,
    url,
    token,
    encodeRequest: encode,
    silentMsMax,
    log,
  });
  ends.push(() => stream.stop());
  stream.start({
    onOpened: () => events.push('opened'),
    onInterrupted: (reason) => events.push(`interrupted: ${reason}`),
    onResumed: () => events.push('resumed'),
    onClosed: (reason) => events.push(`closed: ${reason}`),
    onMalformed: () => events.push('malformed'),
    onContent: (content) => contents.push(content),
  });
  return { stream, contents, events, logged };
}

function accountOf(bytes: Buffer): Buffer {
  return encodeAccount({ pubkey: KEYS[0] ?? '', owner: OWNER, slot: 7, version: 1, bytes });
}

test('grpc: what is compressed is read, and what is beyond the limit when it is not any more ends the stream', async () => {
  const server = await RawGrpc.start();
  ends.push(() => server.stop());
  const { contents, events, logged } = await openStream(`http://127.0.0.1:${server.port}`);
  await until('the request', () => server.requests > 0);
  const account = Buffer.alloc(100_000, 'an account');
  server.notifyBytes(accountOf(account));
  await until('the account', () => contents.length === 1);
  expect(contents[0]).toMatchObject({ kind: 'account', slot: 7, data: account });
  // 64 MB of zeros, which are 64 kB on their way.
  server.notifyBytes(accountOf(Buffer.alloc(64 * 1_024 * 1_024)));
  await until('the end', () =>
    events.some((event) => /^closed: .*: RESOURCE_EXHAUSTED$/.test(event)),
  );
  expect(logged.join()).toContain('larger than');
  expect(contents.length).toBe(1);
}, 120_000);

test('grpc: 64 MB in one message are refused by their length, and are not asked for again', async () => {
  const server = await ScriptedGrpc.start(null);
  ends.push(() => server.stop());
  const { contents, events, logged } = await openStream(server.url);
  await until(() => server.readerCount === 1);
  for (let slot = 160; slot <= 200; slot += 1) server.tellSlot(slot, 'begun');
  await until('the slots', () => contents.length === 41);
  server.tellAccount({
    pubkey: KEYS[0] ?? '',
    owner: OWNER,
    slot: 200,
    bytes: Buffer.alloc(2 ** 26),
  });
  await until('the end', () =>
    events.some((event) => /^closed: .*: RESOURCE_EXHAUSTED$/.test(event)),
  );
  expect(logged.join()).toContain('larger than');
  await until('a stream from now on', () => events.at(-1) === 'opened');
  server.tellAccount({ pubkey: KEYS[1] ?? '', owner: OWNER, slot: 201, bytes: Buffer.alloc(9) });
  await until('what comes next', () => contents.at(-1)?.slot === 201);
  expect(server.fromSlots).toEqual([]);
}, 120_000);

test('grpc: a server that notifies and has no pongs is left, and nobody waits for it', async () => {
  const server = await ScriptedGrpc.start(null);
  ends.push(() => server.stop());
  server.takeFaults({ pongs: 'none' });
  const { stream, events } = await openStream(server.url, undefined, 1_000);
  let slot = 100;
  const notify = setInterval(() => {
    slot += 1;
    server.tellSlot(slot, 'begun');
  }, 100);
  ends.push(() => clearInterval(notify));
  await until('a stream', () => events.includes('opened'));
  await stream.renewRequest();
  await until('its end', () => events.some((event) => /no pong for \d+ ms$/.test(event)));
}, 120_000);

test('grpc: what a server says of a token is in the log alone, once', async () => {
  const server = await ScriptedGrpc.start(null);
  ends.push(() => server.stop());
  server.token = 'the-right-token';
  const refused = await openStream(server.url, 'a-wrong-token');
  await until('a refusal', () => refused.events.length > 0);
  await until('another refusal', () => refused.events.length > 1);
  expect(new Set(refused.events)).toEqual(new Set(['closed: the stream failed: UNAUTHENTICATED']));
  expect(refused.logged).toEqual([expect.stringContaining('no valid auth token: a-wrong-token')]);
  const taken = await openStream(server.url, 'the-right-token');
  await until('a stream', () => taken.events[0] === 'opened');
}, 120_000);
