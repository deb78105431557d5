/**
 * Row 9: how long the service's own work keeps its event loop, through a cold start, a steady
 * stream and an audit, each but the first with /l2 under load.
 */
import { startLoad, startServer } from './servers.mjs';
import { load } from './wrk.mjs';

const MAKERS = 10_000;
const RATE = 200;
const SEED = 1;
/** The first audit falls due so long after the book is live: after the steady phase. */
const AUDIT_INTERVAL_MS = 12_000;
const STEADY_SECONDS = 8;
/** An audit that has not ended after so many rounds of load never will. */
const AUDIT_LOADS_MAX = 20;
const QUERY = '/l2?marketName=SOL-PERP';

/** Row 9, one result a phase. */
export async function loopBlocks() {
  const chain = startLoad('chain');
  const { rpcUrl, wsUrl } = await chain.ask(`start ${MAKERS} ${RATE} ${SEED}`);
  const watched = startServer('watched-service');
  const idle = startServer('idle');
  const results = [];
  const phase = async (name, run) => {
    await Promise.all([watched.ask('begin'), idle.ask('begin')]);
    const result = await run();
    const [own, machine] = await Promise.all([watched.ask('end'), idle.ask('end')]);
    results.push(resultOf(name, own, machine));
    return result;
  };
  const start = () => watched.ask(`start ${rpcUrl} ${wsUrl} ${AUDIT_INTERVAL_MS}`);
  const { url } = await phase(`cold start of ${MAKERS} accounts`, start);
  const asked = { seconds: STEADY_SECONDS, connections: 16 };
  await phase(`${RATE} account writes a second, /l2 under load`, () => load(url + QUERY, asked));
  await phase('an audit, /l2 under load', () => untilAudited(url));
  await watched.ask('stop');
  await chain.ask('stop');
  await Promise.all([watched, idle, chain].map((process) => process.stop()));
  return results;
}

async function untilAudited(url) {
  for (let loads = 0; loads < AUDIT_LOADS_MAX; loads += 1) {
    await load(url + QUERY, { seconds: 2, connections: 16 });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    if (Number(/audits"\} (\d+)/.exec(metrics)?.[1] ?? 0) > 0) return;
  }
  throw new Error('no audit ended');
}

function resultOf(phase, own, machine) {
  const value = own.cpuMs.max;
  const ms = (number) => number.toFixed(2);
  const shown =
    `${ms(value)} ms own, p99.9 ${ms(own.cpuMs.p999)} (wall ${ms(own.wallMs.max)}, ` +
    `p99.9 ${ms(own.wallMs.p999)}; idle process wall ${ms(machine.wallMs.max)})`;
  return {
    row: 9,
    work: `longest block of the event loop: ${phase}`,
    data: `demo chain, ${MAKERS} makers, seed ${SEED}`,
    value,
    shown,
    own,
    machine,
    bar: 5,
    wish: 1,
    better: 'lower',
    unit: 'ms',
  };
}
