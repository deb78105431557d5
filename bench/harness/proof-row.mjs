/**
 * Row `proof`: the cost of a signed log: a turn with and without it, the hashes of a leaf over 10,000
 * orders, and a proof from a log of a day.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyProof } from '../../dist/src/client/proof/verify-proof.js';
import { ENTRY_BYTES } from '../../dist/src/proof/leaf.js';
import { newSigningKey, Signer } from '../../dist/src/proof/note.js';
import { ProofLog } from '../../dist/src/proof/proof-log.js';
import { PROGRAM_ID } from '../../dist/src/sim/bytes/keys.js';
import { runTurn, take, workloadLife } from './journal-row.mjs';
import { median, timeInTurns } from './rounds.mjs';
import { startLoad } from './servers.mjs';
import { withChain } from './streamed-chain.mjs';

const { Core } = createRequire(import.meta.url)('../../crates/node');

/** Turns of a second, after which the log is taken. */
const SECOND_TURNS = 50;
/** Leaves of the log, which are those of a day, and the markets of each. */
const LEAVES = Number(process.env.PROOF_LEAVES ?? 86_400);
const MARKETS = 148;
/** Leaves that wait at once. */
const BATCH = 50;
const PROOFS = 500;

/** Writes a second of the chain whose books a client proves, and how long it is measured. */
const RATE = 300;
const CLIENT_MS = 20_000;
const MARKET = 'SOL-PERP';

/** The results of the row. */
export async function proofCosts(bench) {
  const life = workloadLife();
  const leafMs = [];
  const sides = await timeInTurns({
    ours: () => passOf(life, leafMs),
    peer: () => passOf(life, null),
    warmUp: [],
    rounds: bench.rounds,
    judge: 'cpu',
    better: 'lower',
  });
  const proofUs = await proofTimes();
  const common = { row: 'proof', workload: life.name, better: 'lower' };
  const value = (work, shown, number, bars) => ({ ...common, work, value: number, shown, ...bars });
  const leaf = median(leafMs);
  return [
    {
      ...common,
      work: 'a turn of a journal that is signed',
      against: 'the same turn of a journal that is not',
      ...sides,
      bar: 1.01,
      wish: 1,
    },
    value('the hashes of a leaf, off the turn, once a second', `${leaf.toFixed(2)} ms`, leaf, {
      bar: 3,
      wish: 1,
      unit: 'ms',
    }),
    value(
      `a proof from a log of ${LEAVES} leaves of ${MARKETS} markets`,
      `${(proofUs / 1_000).toFixed(2)} ms`,
      proofUs / 1_000,
      { bar: 1, wish: 0.2, unit: 'ms' },
    ),
    ...(await clientShares()).map(({ channel, share, proofs }) =>
      value(
        `the proofs of a client of \`${channel}\`, of its CPU, at ${RATE} writes a second`,
        `${share.toFixed(1)} % (${proofs} proofs)`,
        share,
        { workload: 'scripted', bar: 5, wish: null, unit: '%' },
      ),
    ),
  ];
}

/** Runs the life; with `leafMs` the turns ask for leaves, whose time is taken apart. */
function passOf({ load, turns }, leafMs) {
  const core = new Core(PROGRAM_ID, 'bench');
  core.startJournal();
  core.setState(1);
  runTurn(core, load, 0);
  take(core);
  globalThis.gc?.();
  let outside = 0;
  const before = process.cpuUsage();
  const start = process.hrtime.bigint();
  turns.forEach((turn, index) => {
    runTurn(core, turn, index + 1);
    const isDue = leafMs !== null && core.leafDueMs() !== null;
    if (index % SECOND_TURNS === 0) take(core);
    if (!isDue) return;
    const from = process.cpuUsage();
    const taken = core.takeLeaf();
    const { user, system } = process.cpuUsage(from);
    if (taken.length < 8 + ENTRY_BYTES) throw new Error('a leaf has no entry');
    leafMs.push((user + system) / 1_000);
    outside += (user + system) * 1_000;
  });
  const wallNs = Number(process.hrtime.bigint() - start);
  const { user, system } = process.cpuUsage(before);
  return { operations: turns.length, wallNs, cpuNs: (user + system) * 1_000 - outside, core };
}

/** The parts of the CPU of clients that proofs cost, percent: beside each runs one without proofs. */
async function clientShares() {
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-proof-client-'));
  const keyFile = path.join(folder, 'key');
  const key = newSigningKey('bench');
  writeFileSync(keyFile, key);
  const { verifierKey } = Signer.read(key);
  try {
    return await withChain('scripted', async (chain) => {
      const flags = ['--data-dir', folder, '--journal', '--signing-key', keyFile];
      const { port } = await chain.serveWith(flags);
      await chain.process.ask(`load ${RATE}`);
      const url = `http://127.0.0.1:${port}`;
      const shares = [];
      for (const channel of ['l3', 'book']) {
        shares.push({
          channel,
          ...(await clientShare(`${url} ${MARKET} ${channel}`, verifierKey)),
        });
      }
      await chain.process.ask('load 0');
      return shares;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function clientShare(topic, key) {
  const clients = [startLoad('proving-client'), startLoad('proving-client')];
  const [proving, plain] = clients;
  await proving.ask(`start ${topic} ${key}`);
  await plain.ask(`start ${topic}`);
  // Their code is compiled by then.
  await sleep(CLIENT_MS / 2);
  const spent = () => Promise.all(clients.map((client) => client.ask('spent')));
  const before = await spent();
  await sleep(CLIENT_MS);
  const after = await spent();
  const [ours, theirs] = after.map(({ cpuUs }, at) => cpuUs - before[at].cpuUs);
  const proofs = after[0].proofs - before[0].proofs;
  if (proofs < CLIENT_MS / 4_000) throw new Error(`a client had ${proofs} proofs`);
  for (const client of clients) await client.stop();
  return { share: 100 * (1 - theirs / ours), proofs, ours, theirs };
}

/** CPU of a proof, microseconds, of random moments of the last hour. */
async function proofTimes() {
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-proof-row-'));
  const keyFile = path.join(folder, 'key');
  writeFileSync(keyFile, newSigningKey('bench'));
  const onFailed = (error) => {
    throw error;
  };
  const log = new ProofLog({ keyFile, folder: path.join(folder, 'proof'), onFailed });
  await log.open();
  for (let from = 0; from < LEAVES; from += BATCH) {
    const note = log.served.checkpoint();
    for (let at = from; at < Math.min(from + BATCH, LEAVES); at += 1) addLeaf(log, at);
    while (log.served.checkpoint() === note) await new Promise(setImmediate);
  }
  const proofAt = (at) =>
    log.served.findProof(
      { marketType: 'perp', marketIndex: at % MARKETS },
      { tsMs: (LEAVES - 1 - ((at * 97) % 3_000)) * 1_000 },
    );
  await verifyProof(proofAt(1), log.verifierKey);
  for (let at = 0; at < PROOFS; at += 1) proofAt(at);
  const before = process.cpuUsage();
  for (let at = 0; at < PROOFS; at += 1) JSON.stringify(proofAt(at));
  const { user, system } = process.cpuUsage(before);
  await log.stop();
  rmSync(folder, { recursive: true });
  return (user + system) / PROOFS;
}

function addLeaf(log, at) {
  const tsMs = at * 1_000;
  const entries = Buffer.alloc(MARKETS * ENTRY_BYTES, at & 255);
  for (let market = 0; market < MARKETS; market += 1) {
    const from = market * ENTRY_BYTES;
    entries[from] = 0;
    entries.writeUInt16BE(market, from + 1);
    entries.writeBigUInt64BE(BigInt(at), from + 3);
  }
  log.addLeaf({ epoch: 'bench', slot: at, tsMs, entries });
  log.addDigest({ tsMs, sha256: new Uint8Array(32) });
}
