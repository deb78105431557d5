/** The service under what real nodes do wrong, with a checker that judges every book it makes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type Fault, SCRIPTED_FAULTS } from './faults-scripted.js';
import { FaultRig } from './support/fault-rig.js';
import type { Findings } from './support/frame-checker.js';

/** The long form takes all faults; a failing seed is given back by SEED. */
const { FAULTS = 'short', SEED = '20261121' } = process.env;
/** The faults of the short form, chosen for what nothing else tests. */
const SHORT: readonly string[] = [
  'the node comes back with another genesis',
  'forks of three slots are abandoned, again and again',
  'a scan without users, once',
];
const WARM_MS = 700;
const BACK_MS_MAX = 2_000;
const TEST_MS_MAX = 120_000;

const faults = SCRIPTED_FAULTS.filter(({ name }) => {
  return FAULTS === 'short' ? SHORT.includes(name) : FAULTS === 'all' || name.includes(FAULTS);
});

let rig: FaultRig | undefined;

afterEach(async () => {
  await rig?.stop();
  rig = undefined;
});

function print(fault: Fault, backMs: number, findings: Findings): void {
  const { judged, wrong, old, published, publishedWrong, wrongMsMax } = findings;
  const columns = [
    `back after ${Math.round(backMs)} ms`,
    `books ${judged}, wrong ${wrong}, old ${old}`,
    `answers ${published}, wrong ${publishedWrong}`,
    ...(wrongMsMax > 0 ? [`wrong for ${Math.round(wrongMsMax)} ms`] : []),
  ];
  process.stderr.write(`${[fault.name, ...columns, ...findings.described].join('\n    ')}\n`);
}

test.each(faults)(`$name (SEED=${SEED})`, { timeout: TEST_MS_MAX }, async (fault) => {
  const { backMsMax = BACK_MS_MAX, wrongUntilAudit } = fault;
  rig = await FaultRig.start({ ...fault.options, seed: Number(SEED) });
  const { watch } = rig;
  await sleep(WARM_MS);
  await fault.run(rig);
  const backMs = await watch.caughtUp();
  await sleep(WARM_MS);
  await rig.compare();
  const findings = await watch.findings();
  print(fault, backMs, findings);
  const none = { wrong: 0, old: 0, publishedWrong: 0, statesMissed: 0, described: [] };
  if (wrongUntilAudit === undefined) expect(findings).toMatchObject(none);
  else {
    expect(findings.wrong).toBeGreaterThan(0);
    expect(await watch.differences()).toBeGreaterThan(0);
  }
  expect(backMs).toBeLessThanOrEqual(backMsMax);
});
