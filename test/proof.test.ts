/** The signed log of a whole service: its files, its proofs, and who finds a dishonest one. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import type { ClientError, Fetch, SocketClass } from '../src/client/index.js';
import { StreamClient } from '../src/client/index.js';
import { checkEvidence, type MarketProof } from '../src/client/proof/verify-proof.js';
import { crc32 } from '../src/client/stream/followed-book.js';
import { readEntry } from '../src/proof/leaf.js';
import { splitBundle } from '../src/proof/log-files.js';
import { newSigningKey, Signer } from '../src/proof/note.js';
import { hashLeaf, nodesOf, pathOf, rootOf } from '../src/proof/tree.js';
import { busyLife } from './simulation/market-life.js';
import {
  NAME,
  newFolder,
  recomputed,
  type Scene,
  signed,
  until5Leaves,
  verified,
} from './support/signed-log.js';
import { until } from './support/until.js';

async function symbolOf(url: string): Promise<string> {
  const markets = (await (await fetch(`${url}/markets`)).json()) as { symbol: string }[];
  return markets[0]?.symbol ?? '';
}

type Socket = SocketClass;
const honest = WebSocket as unknown as Socket;

/** A client that proves a book, with its environment replaced. */
async function proven(
  { url, signer }: Scene,
  channel: 'l3' | 'book',
  {
    fetch: given,
    socket = honest,
    key: prove = signer.verifierKey,
  }: { readonly fetch?: Fetch; readonly socket?: Socket; readonly key?: string } = {},
) {
  const market = await symbolOf(url);
  const client = new StreamClient({
    url,
    encoding: 'json',
    WebSocket: socket,
    ...(given === undefined ? {} : { fetch: given }),
  });
  onTestFinished(() => client.close());
  const subscription = client.subscribe({ channel, market, depth: 500 }, { prove });
  return subscription;
}

/** A socket whose frames are changed. */
function changedSocket(change: (frame: Record<string, unknown>) => unknown): Socket {
  return class extends WebSocket {
    override addEventListener(type: never, listener: never): void {
      const call = listener as unknown as (event: { data: unknown }) => void;
      const changed = ({ data }: { data: unknown }): void => {
        const frame = JSON.parse(String(data)) as Record<string, unknown>;
        if (change(frame) !== false) call({ data: JSON.stringify(frame) });
      };
      super.addEventListener(type, ((type as string) === 'message' ? changed : listener) as never);
    }
  } as unknown as Socket;
}

async function failureOf(subscription: {
  readonly error: ClientError | undefined;
}): Promise<ClientError> {
  await until('the proof fails', () => subscription.error !== undefined);
  return subscription.error as ClientError;
}

const evidenceIn = ({ context }: ClientError): string => String(context['evidence']);

/** Leaves the best bid out of all frames; the checksum is right. */
function withoutBest() {
  const rows = new Map<string, [string, string][]>();
  return (frame: Record<string, unknown>): void => {
    if (frame['type'] !== 'snapshot') return;
    const bids = (frame['bids'] as [string, string][]).slice(1);
    const asks = frame['asks'] as [string, string][];
    rows.set('bids', bids);
    frame['bids'] = bids;
    const texts: string[] = [];
    for (let at = 0; at < 10; at += 1) {
      for (const side of [bids, asks]) {
        const row = side[at];
        if (row !== undefined) texts.push(`${row[0]}:${row[1]}`);
      }
    }
    frame['crc'] = crc32(texts.join(':'));
  };
}

test('a level that is withheld fails the proof, and the evidence is checked offline', async () => {
  const scene = await signed();
  const subscription = await proven(scene, 'book', { socket: changedSocket(withoutBest()) });
  const failure = await failureOf(subscription);
  expect(failure).toMatchObject({ code: 'PROOF_FAILED' });
  expect(await checkEvidence(evidenceIn(failure))).toMatch(/the signed book of perp 0/);
  const other = JSON.parse(evidenceIn(failure));
  other.key = Signer.read(newSigningKey(NAME)).verifierKey;
  await expect(checkEvidence(JSON.stringify(other))).rejects.toMatchObject({
    code: 'PROOF_FAILED',
  });
});

test('a book that stands still once it is proven fails the next proof', async () => {
  const scene = await signed();
  const kept = { seq: -1, isStill: false };
  // Deltas are kept back, and heartbeats have the last sequence number again.
  const socket = changedSocket((frame) => {
    if (kept.isStill && 'seq' in frame) frame['seq'] = kept.seq;
    else if (frame['type'] === 'delta') kept.seq = Number(frame['seq']);
    return !kept.isStill || frame['type'] !== 'delta';
  });
  const noteProven: Fetch = async (asked, init) => {
    const reply = await fetch(asked, init);
    if (asked.includes('/proof') && reply.ok) {
      const { entry } = (await reply.clone().json()) as Proof;
      kept.isStill ||= readEntry(Buffer.from(entry, 'base64')).seq === kept.seq;
    }
    return reply;
  };
  const subscription = await proven(scene, 'book', { socket, fetch: noteProven });
  const { message } = await failureOf(subscription);
  expect(subscription.proven?.seq).toBe(kept.seq);
  expect(message).toMatch(new RegExp(`the book at seq ${kept.seq} is not the signed one of seq`));
});

/** Replaces the answers of /proof after the first. */
function changedProofs(
  url: string,
  change: (body: Proof, first: Proof) => Proof | Promise<Proof>,
): Fetch {
  let first: Proof | undefined;
  return async (asked, init) => {
    const reply = await fetch(asked, init);
    if (!asked.startsWith(`${url}/proof`) || reply.status !== 200) return reply;
    const body = (await reply.json()) as Proof;
    const isFirst = first === undefined;
    first ??= body;
    return new Response(JSON.stringify(isFirst ? body : await change(body, first)));
  };
}

type Proof = MarketProof;

test('two stories of one key fail the proof, and are evidence for everybody', async () => {
  const scene = await signed();
  await until5Leaves(scene);
  const { url, signer } = scene;
  // The operator signs another log of the same size: its first leaf is another one.
  const secondStory = async (_: Proof, { checkpoint, index, ...first }: Proof): Promise<Proof> => {
    const { size } = signer.verifier.openCheckpoint(checkpoint);
    const bundle = await fetch(`${url}/log/tile/entries/000.p/${size}`);
    const leaves = splitBundle(new Uint8Array(await bundle.arrayBuffer())).map((leaf) =>
      Buffer.from(leaf),
    );
    leaves[0]?.fill(7, 40);
    const read = nodesOf(leaves.map(hashLeaf));
    const path = Buffer.concat(pathOf(read, index, { to: size })).toString('base64');
    const root = rootOf(read, 0, size);
    return { ...first, index, path, checkpoint: signer.signCheckpoint({ size, root }) };
  };
  const subscription = await proven(scene, 'l3', { fetch: changedProofs(url, secondStory) });
  const failure = await failureOf(subscription);
  expect(failure.message).toMatch(/of another root/);
  expect(await checkEvidence(evidenceIn(failure))).toMatch(
    /^two logs of \d+ leaves are signed by one key/,
  );
});

test('the older checkpoint of a slower edge fails no proof', async () => {
  const scene = await signed();
  await until5Leaves(scene);
  const sizes: number[] = [];
  const everyOther = async (body: Proof, first: Proof): Promise<Proof> => {
    const proof = sizes.length % 2 === 0 ? first : body;
    sizes.push(scene.signer.verifier.openCheckpoint(proof.checkpoint).size);
    return proof;
  };
  const given = changedProofs(scene.url, everyOther);
  const subscription = await proven(scene, 'l3', { fetch: given });
  await until('proofs of both', () => subscription.error !== undefined || sizes.length > 30);
  expect(subscription.error).toBeUndefined();
  expect(subscription.proven?.size).toBeGreaterThan(sizes[0] ?? 0);
});

test('a log that was rolled back and goes on fails the proof', async () => {
  const scene = await signed();
  await until5Leaves(scene);
  // Each later leaf is signed as the second one of a log of two.
  const rolledBack = async (body: Proof, { leaf }: Proof): Promise<Proof> => {
    const read = nodesOf([leaf, body.leaf].map((text) => hashLeaf(Buffer.from(text, 'base64'))));
    const path = Buffer.concat(pathOf(read, 1, { to: 2 })).toString('base64');
    const root = rootOf(read, 0, 2);
    return { ...body, index: 1, path, checkpoint: scene.signer.signCheckpoint({ size: 2, root }) };
  };
  const changed = changedProofs(scene.url, rolledBack);
  const subscription = await proven(scene, 'l3', { fetch: changed });
  expect((await failureOf(subscription)).message).toMatch(/and then 2 with a later book/);
});

test('a checkpoint that stays old fails the proof', async () => {
  const scene = await signed();
  await until5Leaves(scene);
  const given = changedProofs(scene.url, async (_, first) => first);
  const subscription = await proven(scene, 'l3', { fetch: given });
  expect(await failureOf(subscription)).toMatchObject({ code: 'PROOF_FAILED' });
});

test('the leaf of another market fails the proof', async () => {
  const scene = await signed();
  const markets = (await (await fetch(`${scene.url}/markets`)).json()) as { symbol: string }[];
  const other = async (): Promise<Proof> => {
    const name = encodeURIComponent(markets[1]?.symbol ?? '');
    return (await (await fetch(`${scene.url}/proof?marketName=${name}`)).json()) as Proof;
  };
  const subscription = await proven(scene, 'l3', { fetch: changedProofs(scene.url, other) });
  expect(await failureOf(subscription)).toMatchObject({ code: 'PROOF_FAILED' });
});

test('an edge without the key cannot sign', async () => {
  const scene = await signed();
  const stolen = Signer.read(newSigningKey(NAME));
  const signAgain = (body: Proof): Proof => {
    const checkpoint = stolen.signCheckpoint(scene.signer.verifier.openCheckpoint(body.checkpoint));
    return { ...body, checkpoint };
  };
  const subscription = await proven(scene, 'book', { fetch: changedProofs(scene.url, signAgain) });
  expect(await failureOf(subscription)).toMatchObject({
    message: 'the checkpoint is not signed by the key',
  });
});

test('a key with a slip is no key, and accuses nobody', async () => {
  const scene = await signed();
  const { verifierKey } = scene.signer;
  const other = verifierKey.endsWith('A') ? 'B' : 'A';
  for (const key of ['x', verifierKey.slice(0, -1), `${verifierKey.slice(0, -1)}${other}`]) {
    expect(await failureOf(await proven(scene, 'book', { key }))).toMatchObject({
      code: 'INVALID_KEY',
      message: 'the key is not the NAME+ID+KEY that keygen printed',
    });
  }
});

test('an outage is no proof that is withheld, and a withheld one is found after it', async () => {
  const scene = await signed();
  let isDown = false;
  let isWithheld = false;
  const lossy: Fetch = async (asked, init) => {
    if (isDown) throw new TypeError('fetch failed');
    return isWithheld ? new Response('{}', { status: 404 }) : fetch(asked, init);
  };
  const socket = changedSocket(() => !isDown);
  const subscription = await proven(scene, 'book', { fetch: lossy, socket });
  await until('a proof', () => subscription.proven !== undefined);
  isDown = true;
  await sleep(40_000);
  expect(subscription.error).toBeUndefined();
  isDown = false;
  const { seq = 0 } = subscription.proven ?? {};
  await until('another proof', () => (subscription.proven?.seq ?? 0) > seq);
  isWithheld = true;
  await sleep(10_000);
  isDown = true;
  await sleep(20_000);
  isDown = false;
  await sleep(12_000);
  expect(subscription.error?.message).toMatch(/no leaf has seq \d+ within 15 s/);
});

test('an old proof again and again fails the proof', async () => {
  const scene = await signed();
  const old = changedProofs(scene.url, (_, first) => first);
  const subscription = await proven(scene, 'book', { fetch: old });
  expect((await failureOf(subscription)).message).toMatch(/no leaf has seq \d+ within 15 s/);
});

test('a book that no leaf has cannot be proven', async () => {
  const client = new StreamClient({ url: 'http://service', WebSocket: honest });
  onTestFinished(() => client.close());
  const market = 'SOL-PERP';
  for (const topic of [
    { channel: 'book', market, depth: 20 },
    { channel: 'bbo', market },
    { channel: 'book', market, depth: 500, includeVamm: true },
    { channel: 'l3', market, depth: 500, maker: 'A' },
    { channel: 'l3', market, depth: 500, intervalMs: 100 },
  ] as const) {
    const { code, message } = await failureOf(client.subscribe(topic, { prove: 'key' }));
    expect([code, message]).toEqual([
      'INVALID_OPTION',
      expect.stringMatching(/can be proven, not/),
    ]);
  }
});

/** Virtual minutes of a busy chain: `npm run test:long -- proof` has an hour. */
const MINUTES = Number(process.env['PROOF_MINUTES'] ?? 0.2);

test(`${MINUTES} minutes of a busy chain are verified from outside`, {
  timeout: 24 * 3_600_000,
}, async () => {
  const life = busyLife(1, { makers: 400, stepsPerSlot: 150 });
  const scene = await signed(newFolder(), 1, { life });
  const readers = await Promise.all((['l3', 'book'] as const).map((kind) => proven(scene, kind)));
  await until(() => readers.every((reader) => reader.proven !== undefined));
  let writes = 0;
  const handleState = (): void => {
    writes += 1;
  };
  scene.scene.chain.listen({ handleState, handleSlot: () => undefined });
  const seen = readers.map(() => new Set<number>());
  const leaves: unknown[] = [];
  for (let second = 0; second < MINUTES * 60; second += 1) {
    await scene.scene.run(1_000);
    for (const [at, { error, proven: newest }] of readers.entries()) {
      expect(error).toBeUndefined();
      if (newest !== undefined) seen[at]?.add(newest.seq);
    }
    if (second % 10 === 9) leaves.push(...(await verified(scene)));
  }
  expect(leaves.filter((line) => line !== true && !/signed and grown/.test(String(line)))).toEqual(
    [],
  );
  for (const proofs of seen) expect(proofs.size).toBeGreaterThan(MINUTES * 60 * 0.7);
  expect(writes).toBeGreaterThan(MINUTES * 60 * 250);
  await scene.scene.stop();
  rmSync(path.join(scene.folder, 'kept'));
  const again = await signed(scene.folder, 1, { life });
  const [isRight, , line] = await verified(again, { recomputed: recomputed(scene.folder) });
  expect(isRight).toBe(true);
  expect(Number(/^journal: (\d+) of/.exec(String(line))?.[1])).toBeGreaterThan(MINUTES * 40);
});
