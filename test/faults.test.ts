/** The service under what real nodes do wrong, with a checker that judges every book it makes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { RELAYED_FAULTS, type RelayedFault } from './faults-relayed.js';
import { type Fault, SCRIPTED_FAULTS } from './faults-scripted.js';
import { FaultRig } from './support/fault-rig.js';
import type { Findings } from './support/frame-findings.js';
import { RelayRig } from './support/relay-rig.js';
import type { ServiceWatch } from './support/service-watch.js';

/** The long form takes all faults; a failing seed is given back by SEED. */
const { FAULTS = 'short', SEED = '20261121' } = process.env;
const IS_SHORT = FAULTS === 'short';
/** The faults of the short form, chosen for what nothing else tests. */
const SHORT: readonly string[] = [
  'the node comes back with another genesis',
  'forks of three slots are abandoned, again and again',
  'a scan without users, once',
  'the first three scans give a tenth of the users',
];
const WARM_MS = 700;
const BACK_MS_MAX = 2_000;
/** The short form runs beside other tests, on any machine: it judges books, and times only by this. */
const SHORT_MS_MAX = 30_000;
const TEST_MS_MAX = 300_000;

/** What both kinds of rigs have. */
interface Rig {
  readonly watch: ServiceWatch;
  compare(): Promise<void>;
  stop(): Promise<void>;
}

let rig: Rig | undefined;

afterEach(async () => {
  await rig?.stop();
  rig = undefined;
});

function isWanted({ name }: { readonly name: string }): boolean {
  return IS_SHORT ? SHORT.includes(name) : FAULTS === 'all' || name.includes(FAULTS);
}

function print(name: string, backMs: number, findings: Findings): void {
  const { judged, wrong, old, published, publishedWrong, statesMissed, wrongMsMax } = findings;
  const columns = [
    `back after ${Math.round(backMs)} ms`,
    `books ${judged}, wrong ${wrong}, old ${old}`,
    `frames ${published}, wrong ${publishedWrong}, states missed ${statesMissed}`,
    ...(wrongMsMax > 0 ? [`wrong for ${Math.round(wrongMsMax)} ms`] : []),
  ];
  process.stderr.write(`${[name, ...columns, ...findings.described].join('\n    ')}\n`);
}

async function endure<R extends Rig>(
  {
    name,
    run,
    backMsMax = BACK_MS_MAX,
  }: Pick<Fault, 'name' | 'backMsMax'> & {
    readonly run: (rig: R) => Promise<void>;
  },
  started: R,
): Promise<Findings> {
  rig = started;
  const { watch } = rig;
  const limitMs = IS_SHORT ? SHORT_MS_MAX : backMsMax;
  await sleep(WARM_MS);
  await run(started);
  const backMs = await watch.caughtUp();
  await sleep(WARM_MS);
  await rig.compare();
  const findings = await watch.findings();
  print(name, backMs, findings);
  expect(findings.statesMissed).toBe(0);
  expect(backMs).toBeLessThanOrEqual(limitMs);
  return findings;
}

const options = { timeout: TEST_MS_MAX };

type Claim = Pick<Fault, 'wrongUntilAudit' | 'wrongMsMax'>;

async function expectClaim(findings: Findings, fault: Claim) {
  const { wrongMsMax } = fault;
  if (wrongMsMax !== undefined) {
    expect(findings.wrong).toBeGreaterThan(0);
    expect(findings.wrongMsMax).toBeLessThanOrEqual(IS_SHORT ? SHORT_MS_MAX : wrongMsMax);
    return;
  }
  if (fault.wrongUntilAudit === undefined) {
    expect(findings).toMatchObject({ wrong: 0, old: 0, publishedWrong: 0, described: [] });
    return;
  }
  expect(findings.wrong).toBeGreaterThan(0);
  expect(await rig?.watch.differences()).toBeGreaterThan(0);
}

test.each(SCRIPTED_FAULTS.filter(isWanted))(`$name (SEED=${SEED})`, options, async (fault) => {
  const times = IS_SHORT ? { toldMsMax: SHORT_MS_MAX, oldMsMax: SHORT_MS_MAX } : {};
  const started = await FaultRig.start({ ...times, ...fault.options, seed: Number(SEED) });
  await expectClaim(await endure(fault, started), fault);
});

const relayed: readonly RelayedFault[] = IS_SHORT ? [] : RELAYED_FAULTS.filter(isWanted);

test.each(relayed)(`$name (SEED=${SEED})`, options, async (fault) => {
  const started = await RelayRig.start({ ...fault.options, seed: Number(SEED) });
  await expectClaim(await endure(fault, started), fault);
});
