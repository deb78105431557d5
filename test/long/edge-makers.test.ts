/** Makers that quote at edges: the core takes their quotes, and every edge shows them. */
import { connect } from '@nats-io/transport-node';
import type { Keypair } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { LogServices } from '../support/log-services.js';
import { makerKey, makerProbe, quotesOf } from '../support/maker-client.js';
import { ServiceChild } from '../support/service-child.js';
import type { Probe } from '../support/socket-scene.js';
import { until } from '../support/until.js';

const maker = makerKey(1);
const KEY = maker.publicKey.toBase58();
const otherMaker = makerKey(2);
const MAKERS = ['--quote-makers', [KEY, otherMaker.publicKey.toBase58()].join()];
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

async function makerAt(edge: ServiceChild, keypair: Keypair = maker): Promise<Probe> {
  const probe = await makerProbe(edge.socketUrl.replace('/ws', '/quotes/ws'), keypair);
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

/** Repeats a quote, as senders do, until a core has taken it and all of these edges show it. */
async function quoteUntilShown(probe: Probe, ...edges: readonly ServiceChild[]): Promise<void> {
  const seen = new Set<ServiceChild>();
  const from = probe.texts.length;
  await until('a quote that is shown', async () => {
    probe.send({ ...QUOTE, id: 7 });
    for (const edge of edges) if (await isShown(edge)) seen.add(edge);
    const isTaken = repliesOf(probe, from).some(({ type }) => type === 'quoted');
    return isTaken && seen.size === edges.length;
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

test('a quote at one edge is in the book of all, until its maker is gone', async (context) => {
  const log = services.newLog(context, 'quotes');
  const core = await services.keep(ServiceChild.core(services.demo.relay, log));
  const first = await services.keep(ServiceChild.edge([...log, ...MAKERS]));
  const second = await services.keep(ServiceChild.edge([...log, ...MAKERS]));
  const probe = await makerAt(first);
  await quoteUntilShown(probe, first, second);
  await until('the quote at the core', async () => {
    probe.send(QUOTE);
    return (await core.get('/metrics')).text.includes('\nslotbook_indicative_makers 1\n');
  });
  let size = UNIT;
  await until('a change that is counted', async () => {
    size += UNIT;
    probe.send(quotesOf(0, { bid: [LOW, size] }));
    return /quote_messages_total\{outcome="changed"} [1-9]/.test(
      (await first.get('/metrics')).text,
    );
  });
  // What the core does not take comes back with its reason.
  probe.send({ ...quotesOf(0, { bid: [2 ** 53 - 1, 1] }), market_index: 900, id: 8 });
  probe.send({ ...quotesOf(0, { bid: [0, 1] }), id: 9 });
  // An early quote may have been refused before the core was there.
  const refusals = (): readonly Reply[] => errorsOf(probe).filter(({ id }) => id === 8 || id === 9);
  await until('refusals', () => refusals().length >= 2);
  expect(refusals()).toMatchObject([
    { code: 'UNKNOWN_MARKET', id: 8 },
    { code: 'OUT_OF_RANGE', id: 9 },
  ]);
  await first.kill();
  await untilGone(second);
});

test('a maker that signs at another edge takes its older socket over', async (context) => {
  const log = services.newLog(context, 'moved');
  await services.keep(ServiceChild.core(services.demo.relay, log));
  const first = await services.keep(ServiceChild.edge([...log, ...MAKERS]));
  const second = await services.keep(ServiceChild.edge([...log, ...MAKERS]));
  // What an edge announces before it is connected to NATS is lost: the quote of another maker shows that this one is.
  const witness = await makerAt(second, otherMaker);
  await quoteUntilShown(witness, second);
  await witness.close();
  await untilGone(second);
  const older = await makerAt(first);
  await quoteUntilShown(older, second);
  const newer = await makerAt(second);
  expect(await older.closed).toMatchObject({ code: 1008, reason: 'replaced' });
  await quoteUntilShown(newer, first);
  expect((await first.get('/metrics')).text).toContain('quote_closes_total{reason="replaced"} 1');
});

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

test('whatever is sent to the core as quotes is a refusal, and the book goes on', async (context) => {
  const log = services.newLog(context, 'hostile');
  const core = await services.keep(ServiceChild.core(services.demo.relay, log));
  const { username: user, password: pass, host } = new URL(services.nats.url);
  const nats = await connect({ servers: host, user, pass });
  const many = quotesOf(0, ...Array.from({ length: 33 }, () => ({ bid: [LOW, 1] as const })));
  const texts = [
    ...['', 'null', '[]', '{', '\u0000\uffff', '{"pubkey":7}', `{"pubkey":"${KEY}"}`],
    JSON.stringify({ ...QUOTE, pubkey: 'nobody' }),
    JSON.stringify({ ...many, pubkey: KEY }),
    JSON.stringify({ ...QUOTE, pubkey: KEY, market_index: '9'.repeat(12_000) }),
    `{"pubkey":"${KEY}","pad":"${'x'.repeat(900_000)}"}`,
    '['.repeat(16_384),
  ];
  await until('a core that takes quotes', () =>
    nats.request('hostile.quotes', '', { timeout: 30_000 }).catch(() => undefined),
  );
  const codes: string[] = [];
  for (const text of texts) {
    const reply = await nats.request('hostile.quotes', text, { timeout: 30_000 });
    codes.push((reply.json() as { code: string }).code);
  }
  expect(codes).toEqual([
    ...['MALFORMED_MESSAGE', 'MALFORMED_MESSAGE', 'MALFORMED_MESSAGE', 'MALFORMED_MESSAGE'],
    ...['MALFORMED_MESSAGE', 'INVALID_PARAM', 'MISSING_PARAM', 'UNAUTHORIZED', 'OUT_OF_RANGE'],
    ...['OUT_OF_RANGE', 'MALFORMED_MESSAGE', 'MALFORMED_MESSAGE'],
  ]);
  nats.publish('hostile.quotes', 'no reply is wanted');
  nats.publish('hostile.makers', new Uint8Array(100_000));
  const taken = JSON.stringify({ ...QUOTE, pubkey: KEY });
  const reply = await nats.request('hostile.quotes', taken, { timeout: 30_000 });
  expect(reply.json()).toEqual({ outcome: 'changed' });
  await nats.close();
  expect((await core.get('/ready')).status).toBe(200);
});
