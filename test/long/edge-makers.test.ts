/** Makers that quote at an edge, over the cores of its log. */
import { afterAll, afterEach, beforeAll, test } from 'vitest';
import { LogServices } from '../support/log-services.js';
import { makerKey, makerProbe, quotesOf } from '../support/maker-client.js';
import { ServiceChild } from '../support/service-child.js';
import type { Probe } from '../support/socket-scene.js';
import { until } from '../support/until.js';

const maker = makerKey(1);
const MAKERS = ['--quote-makers', maker.publicKey.toBase58()];
const UNIT = 1_000_000_000;
/** Below everything that the market's own makers quote. */
const LOW = 1_000_000;
const QUOTE = quotesOf(0, { bid: [LOW, UNIT] });
/** A machine that is busy with other tests is no reason to take a core for dead. */
const LEASE = ['--lease-ms', '6000'];

const services = new LogServices(23);
const probes: Probe[] = [];

beforeAll(() => services.start());
afterEach(async () => {
  for (const probe of probes.splice(0)) await probe.close();
  await services.killServices();
});
afterAll(() => services.stop());

async function makerAt(edge: ServiceChild): Promise<Probe> {
  const probe = await makerProbe(edge.socketUrl.replace('/ws', '/quotes/ws'), maker);
  probes.push(probe);
  return probe;
}

/** Whether the quote of the test is in the book of an edge. */
async function isShown(edge: ServiceChild): Promise<boolean> {
  const path = '/l2?marketName=SOL-PERP&depth=1000&includeIndicative=true';
  const { bids } = JSON.parse((await edge.get(path)).text) as {
    bids: readonly { price: string; sources: Record<string, string> }[];
  };
  return bids.some(({ price, sources }) => price === String(LOW) && 'indicative' in sources);
}

/** Repeats a quote, as senders do, until a core has taken it and the edge shows it. */
async function quoteUntilShown(probe: Probe, edge: ServiceChild): Promise<void> {
  let isSeen = false;
  const from = probe.texts.length;
  await until('a quote that is shown', async () => {
    probe.send({ ...QUOTE, id: 7 });
    isSeen ||= await isShown(edge);
    return isSeen && repliesOf(probe, from).some(({ type }) => type === 'quoted');
  });
}

async function untilGone(edge: ServiceChild): Promise<void> {
  await until('no quote', async () => !(await isShown(edge)));
}

interface Reply {
  readonly type?: string;
  readonly code?: string;
  readonly id?: number;
}

/** What a maker was sent, from one of them on. */
function repliesOf({ texts }: Probe, from = 0): readonly Reply[] {
  return texts.slice(from).map((text) => JSON.parse(text) as Reply);
}

function errorsOf(probe: Probe): readonly Reply[] {
  return repliesOf(probe).filter(({ code }) => code !== undefined);
}

test('makers at an edge stay while a standby takes over, and are told that none takes their quotes', async (context) => {
  const log = services.newLog(context, 'makers-kill');
  const flags = [...log, ...LEASE];
  const core = await services.keep(ServiceChild.core(services.demo.relay, flags));
  const edge = await services.keep(ServiceChild.edge([...log, ...MAKERS]));
  const probe = await makerAt(edge);
  await quoteUntilShown(probe, edge);
  await core.kill();
  await until('a refusal', async () => {
    probe.send({ ...QUOTE, id: 1 });
    return errorsOf(probe).some(({ code }) => code === 'NOT_READY');
  });
  const next = await services.keep(ServiceChild.core(services.demo.relay, flags));
  const standby = await services.keep(ServiceChild.standby(services.demo.relay, flags));
  // The socket of the maker has stayed.
  await quoteUntilShown(probe, edge);
  await next.kill();
  await until('the standby', async () => (await standby.get('/ready')).status === 200);
  await quoteUntilShown(probe, edge);
  await probe.close();
  await untilGone(edge);
});
