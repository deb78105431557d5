/**
 * Lives with records of every kind, forks, refused items, kills and restarts: the history's file and its paths have each
 * record of the chain once, by a reader of the logs that shares no code with the service. SEED=n selects another life,
 * LIVES=n so many, LIFE_STEPS=n their length.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { PROGRAM_IDS } from '../src/contract/program.js';
import { decodeBase58 } from '../src/history/store/base58.js';
import { Random } from '../src/sim/random.js';
import { type PlainRecord, plainRecords } from './plain-records.js';
import { transactionText } from './simulation/model-logs.js';
import { crashWorker } from './simulation/stand-ins/worker-link.js';
import { RecordLife } from './support/record-life.js';
import { ServiceProbe } from './support/service-probe.js';
import { type World, world } from './world/world.js';

const SEED = Number(process.env['SEED'] ?? 1);
const LIVES = Number(process.env['LIVES'] ?? 1);
const STEPS = Number(process.env['LIFE_STEPS'] ?? 200);
/** A step takes a tenth of a second on a quiet machine; the limit is for what hangs. */
const STEP_TIMEOUT_MS = 1_500;
const STEP_MS = 250;
/** After so long all is final, and has been compared with the finalised listing. */
const FINAL_MS = 40_000;
/** Kinds of records, the others among them. */
const KINDS = 12;
/** One step in so many kills the history's thread, ends the service as it stands, and has a node refuse items. */
const [CRASH_ONE_IN, KILL_ONE_IN, REFUSE_ONE_IN] = [40, 60, 25];
/** `undefined` is none. */
const REFUSALS = [
  'unsupported version',
  'internal error',
  'malformed',
  'nothing',
  undefined,
] as const;
/** Rows of a page, so that an account has many. */
const PAGE = 20;

interface ChainRecord extends PlainRecord {
  readonly txSig: string;
  readonly slot: number;
}

/** The records of all transactions that are final. */
function recordsOf({ ledger }: World): readonly ChainRecord[] {
  const all = ledger.list({ commitment: 'finalized', limit: Number.POSITIVE_INFINITY });
  return all.flatMap(({ signature, slot }) => {
    const write = ledger.findWrite(signature);
    const lines: readonly string[] = write
      ? JSON.parse(transactionText(write)).meta.logMessages
      : ledger.find(signature)?.lines;
    return plainRecords(PROGRAM_IDS.drift, lines).map((record) => {
      return { txSig: signature, slot, ...record };
    });
  });
}

const textOf = ({ txSig, slot, index, kind, ts, market, accounts, bytes }: ChainRecord): string => {
  const parties = accounts.map(([key, orderId]) => `${key.slice(0, 16)} ${orderId}`).sort();
  return [txSig, slot, index, kind, ts, market, parties, bytes].join(' ');
};

/** The rows of a history's file, each as the text of its record. */
function storedTexts(folder: string, slotMax: number): readonly string[] {
  const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('.db'),
  );
  const database = new Database(path.join(folder, file ?? ''));
  const rows = database
    .prepare(
      `select hex(x.signature) as signature, r.slot, r.idx, r.kind, r.ts, r.market, hex(r.bytes) as bytes,
         (select group_concat(printf('%016x', account) || ' ' || ifnull(order_id, 'null'))
          from parties p where p.tx = r.tx and p.idx = r.idx) as parties
       from records r join transactions x on x.id = r.tx where r.slot <= ?`,
    )
    .all(slotMax) as Record<string, string | number | null>[];
  database.close();
  return rows.map(({ signature, slot, idx, kind, ts, market, bytes, parties }) => {
    const sorted = String(parties ?? '')
      .split(',')
      .sort();
    return [signature, slot, idx, kind, ts, market, sorted, bytes].join(' ').toLowerCase();
  });
}

function sameRows(chain: readonly ChainRecord[], folder: string, slotMax: number): void {
  const expected = chain.map((record) => {
    const signature = Buffer.from(decodeBase58(record.txSig, 64) ?? []).toString('hex');
    return textOf({ ...record, txSig: signature });
  });
  expect([...storedTexts(folder, slotMax)].sort()).toEqual(expected.sort());
}

/** All rows of a path, page by page. */
async function rowsOf(service: ServiceProbe, at: string): Promise<readonly string[]> {
  const rows: string[] = [];
  for (let page = ''; ; ) {
    const { records, meta } = (await service.json(`${at}?limit=${PAGE}${page}`)) as {
      readonly records: readonly { readonly txSig: string; readonly txSigIndex: number }[];
      readonly meta: { readonly nextPage: string | null };
    };
    rows.push(...records.map(({ txSig, txSigIndex }) => `${txSig} ${txSigIndex}`));
    if (meta.nextPage === null) return rows;
    page = `&page=${meta.nextPage}`;
  }
}

/** The paths of an account, and the kind of their records. */
const PATHS: readonly (readonly [path: string, kind: number])[] = [
  ['trades', 1],
  ['orders/perp', 4],
  ['fundingPayments', 6],
  ['deposits', 7],
  ['settlePnl', 8],
  ['liquidations', 9],
];

async function samePages(service: ServiceProbe, chain: readonly ChainRecord[], life: RecordLife) {
  const ofAccount = (account: string, kinds: readonly number[], orderId?: number) => {
    const key = Buffer.from(decodeBase58(account, 32) ?? []).toString('hex');
    const found = chain.filter(({ kind, accounts }) => {
      const party = accounts.find(([one]) => one === key);
      return kinds.includes(kind) && party && (orderId === undefined || party[1] === orderId);
    });
    return found.map(({ txSig, index }) => `${txSig} ${index}`).sort();
  };
  for (const user of life.users) {
    for (const [name, kind] of PATHS) {
      const rows = await rowsOf(service, `/user/${user}/${name}`);
      expect([...rows].sort(), name).toEqual(ofAccount(user, [kind]));
      expect(rows.length).toBeGreaterThan(0);
    }
    const { actions } = (await service.json(`/user/${user}/orders/id/1`)) as {
      readonly actions: readonly { readonly txSig: string; readonly txSigIndex: number }[];
    };
    const told = actions.map(({ txSig, txSigIndex }) => `${txSig} ${txSigIndex}`).sort();
    expect(told).toEqual(ofAccount(user, [1, 2, 3], 1));
  }
  const made = await rowsOf(service, `/authority/${life.authority}/accounts`);
  expect([...made].sort()).toEqual(ofAccount(life.authority, [10]));
}

/** The service of a life, which dies and starts again with its files. */
class MortalService {
  readonly #root = mkdtempSync(path.join(tmpdir(), 'slotbook-lives-'));
  folder = path.join(this.#root, '0');
  deaths = 0;
  #probe: ServiceProbe | null = null;

  async start(): Promise<void> {
    const [node, other] = ['node-0', 'node-1'];
    const fallback = { fallbackRpcUrl: `http://${other}`, fallbackWsUrl: `ws://${other}` };
    const settings = { ...fallback, dataDir: this.folder, historyRequestsPerSecond: '500' };
    const urls = { rpcUrl: `http://${node}`, wsUrl: `ws://${node}` };
    this.#probe = await ServiceProbe.start(urls, settings);
  }

  get probe(): ServiceProbe {
    if (this.#probe === null) throw new Error('Invariant: the service was started');
    return this.#probe;
  }

  /** Starts again with the files as they are now, in the middle of whatever is under way. */
  async kill(): Promise<void> {
    this.deaths += 1;
    const next = path.join(this.#root, String(this.deaths));
    cpSync(this.folder, next, { recursive: true });
    await this.probe.stop();
    this.folder = next;
    await this.start();
  }

  async end(): Promise<void> {
    await this.probe.stop();
    rmSync(this.#root, { recursive: true, force: true });
  }
}

/** Lives, dies and forks, until the chain has been sound for long enough that all of it is final. */
async function live(scene: World, life: RecordLife, service: MortalService, random: Random) {
  const faults = scene.nodes[0]?.faults;
  if (faults === undefined) throw new Error('Invariant: a world has a node');
  for (let step = 0; step < STEPS; step += 1) {
    life.step();
    if (random.oneIn(CRASH_ONE_IN)) crashWorker();
    if (random.oneIn(KILL_ONE_IN)) await service.kill();
    const says = random.pickOne(REFUSALS);
    if (random.oneIn(REFUSE_ONE_IN)) {
      faults.refused = says === undefined ? null : { says, isForEver: random.oneIn(2) };
    }
    await scene.run(STEP_MS);
  }
  faults.refused = null;
  await scene.run(FINAL_MS);
}

test.each(Array.from({ length: LIVES }, (_, at) => SEED + at))(
  'each record of the chain is stored once and shown once, SEED=%i',
  { timeout: STEPS * STEP_TIMEOUT_MS },
  async (seed) => {
    const scene = await world({ seed, nodes: 2 });
    await scene.service.stop();
    scene.chain.stopLife();
    const random = new Random(seed);
    const life = new RecordLife(scene, random);
    const service = new MortalService();
    await service.start();
    try {
      await live(scene, life, service, random);
      const [chain, slotMax] = [recordsOf(scene), scene.ledger.slotAt()];
      expect(new Set(chain.map(({ kind }) => kind)).size).toBe(KINDS);
      expect(Math.min(life.forked.taken, life.forked.moved, service.deaths)).toBeGreaterThan(0);
      await samePages(service.probe, chain, life);
      await service.probe.stop();
      sameRows(chain, service.folder, slotMax);
    } finally {
      await service.end();
    }
  },
);
