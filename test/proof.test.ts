/** The signed log of a whole service: its files, its proofs, and who finds a dishonest one. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import type { ClientError, Fetch, SocketClass } from '../src/client/index.js';
import { StreamClient } from '../src/client/index.js';
import { checkEvidence } from '../src/client/proof/verify-proof.js';
import { crc32 } from '../src/client/stream/followed-book.js';
import { newSigningKey, Signer } from '../src/proof/note.js';
import { until } from './support/until.js';
import { type World, world } from './world/world.js';

const NAME = 'book.test/log';

interface Scene {
  readonly scene: World;
  readonly url: string;
  readonly signer: Signer;
  readonly folder: string;
}

/** A service that signs. */
async function signed(): Promise<Scene> {
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-proof-'));
  const keyFile = path.join(folder, 'key');
  writeFileSync(keyFile, newSigningKey(NAME));
  const flags = { dataDir: folder, noHistory: true, journal: true, signingKey: keyFile };
  const scene = await world({ flags });
  onTestFinished(async () => {
    await scene.stop();
    rmSync(folder, { recursive: true });
  });
  const signer = Signer.read(readFileSync(keyFile, 'utf8'));
  return { scene, url: scene.service.url, signer, folder };
}

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
  { fetch: given, socket = honest }: { readonly fetch?: Fetch; readonly socket?: Socket } = {},
) {
  const market = await symbolOf(url);
  const client = new StreamClient({
    url,
    encoding: 'json',
    WebSocket: socket,
    ...(given === undefined ? {} : { fetch: given }),
  });
  onTestFinished(() => client.close());
  const { verifierKey: prove } = signer;
  const subscription = client.subscribe({ channel, market, depth: 500 }, { prove });
  return subscription;
}

test.each(['l3', 'book'] as const)('a reader of %s proves its book each second', async (channel) => {
  const scene = await signed();
  const subscription = await proven(scene, channel);
  const sizes = new Set<number>();
  await until('five proofs', () => {
    if (subscription.error !== undefined) throw subscription.error;
    if (subscription.proven !== undefined) sizes.add(subscription.proven.size);
    return sizes.size >= 5;
  });
  expect(subscription.proven).toMatchObject({ marketType: 'perp', marketIndex: 0 });
});

/** A socket whose frames are changed. */
function changedSocket(change: (frame: Record<string, unknown>) => void): Socket {
  return class extends WebSocket {
    override addEventListener(type: never, listener: never): void {
      const call = listener as unknown as (event: { data: unknown }) => void;
      const changed = ({ data }: { data: unknown }): void => {
        const frame = JSON.parse(String(data)) as Record<string, unknown>;
        change(frame);
        call({ data: JSON.stringify(frame) });
      };
      super.addEventListener(type, ((type as string) === 'message' ? changed : listener) as never);
    }
  } as unknown as Socket;
}

async function failureOf(subscription: Awaited<ReturnType<typeof proven>>): Promise<ClientError> {
  await until('the proof fails', () => subscription.error !== undefined);
  return subscription.error as ClientError;
}

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
  expect(await checkEvidence(failure.evidence ?? '')).toMatch(/the signed book of perp 0/);
  const other = JSON.parse(failure.evidence ?? '');
  other.key = Signer.read(newSigningKey(NAME)).verifierKey;
  await expect(checkEvidence(JSON.stringify(other))).rejects.toMatchObject({ code: 'PROOF_FAILED' });
});
