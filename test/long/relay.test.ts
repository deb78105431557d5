import { Connection } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { LocalChain } from '../../src/sim/chain/chain-process.js';
import { AccountWriter } from '../../src/sim/demo/account-writer.js';
import { Relay } from '../../src/sim/relay/relay.js';
import { ACKNOWLEDGEMENT_HOLD_MS } from '../../src/sim/relay/relay-session.js';
import { Listener, rpc } from '../support/chain-listener.js';

const DEADLINE = { timeout: 60_000, interval: 10 };
const SLOT_MS = 100;
/** What timers may be early by. */
const EARLY_MS = 5;
const ACCOUNT = '3m6i4RFWEDw2Ft4tFHPJtYgmpPe21k56M3FHeWYrgGBz';
const PROCESSED = { encoding: 'base64', commitment: 'processed' };

let chain: LocalChain;
let relay: Relay;
let writer: AccountWriter;

beforeAll(async () => {
  chain = await LocalChain.start({ slotTimeMs: SLOT_MS });
  writer = new AccountWriter(chain.rpcUrl);
});

afterAll(async () => {
  writer.close();
  await chain.stop();
});

beforeEach(async () => {
  relay = await Relay.start(chain);
  await vi.waitFor(() => expect(relay.latestSlot).toBeDefined(), DEADLINE);
});

afterEach(async () => {
  await relay.stop();
});

function subscribe(): Promise<Listener> {
  return Listener.open(relay.wsUrl, [
    ['slotSubscribe', []],
    ['programSubscribe', [PROGRAM_ID, PROCESSED]],
    ['accountSubscribe', [ACCOUNT, PROCESSED]],
  ]);
}

function slotOfChain(): Promise<number> {
  return rpc<number>(chain.rpcUrl, 'getSlot', [{ commitment: 'processed' }]);
}

/** Writes one byte into the account; returns the slot before the write, which the relay has by then. */
async function write(byte: number): Promise<number> {
  const slot = await slotOfChain();
  await vi.waitFor(() => expect(relay.latestSlot).toBeGreaterThanOrEqual(slot), DEADLINE);
  await writer.writeAccount({ pubkey: ACCOUNT, owner: PROGRAM_ID, data: Buffer.of(byte) });
  await writer.flush();
  return slot;
}

async function nextSlots(count: number): Promise<void> {
  const until = (relay.latestSlot ?? 0) + count;
  await vi.waitFor(() => expect(relay.latestSlot).toBeGreaterThanOrEqual(until), DEADLINE);
}

function bytes(listener: Listener, method: string): number[] {
  return listener.of(method).map(({ data }) => Buffer.from(data, 'base64')[0] ?? -1);
}

test('notifications carry the slot of the chain, which freezes them at the subscription', async () => {
  const direct = await Listener.open(chain.wsUrl, [['programSubscribe', [PROGRAM_ID, PROCESSED]]]);
  const listener = await subscribe();
  const [before, after]: [number[], number[]] = [[], []];
  for (let byte = 1; byte <= 5; byte += 1) {
    await nextSlots(2);
    before.push(await write(byte));
    for (const method of ['programNotification', 'accountNotification']) {
      await vi.waitFor(() => expect(bytes(listener, method)).toContain(byte), DEADLINE);
    }
    after.push(await slotOfChain());
  }
  for (const method of ['programNotification', 'accountNotification']) {
    await vi.waitFor(() => expect(bytes(listener, method)).toEqual([1, 2, 3, 4, 5]), DEADLINE);
    listener.of(method).forEach(({ slot }, i) => {
      expect(slot).toBeGreaterThanOrEqual(before[i] ?? Number.POSITIVE_INFINITY);
      expect(slot).toBeLessThanOrEqual((after[i] ?? 0) + 1);
    });
  }
  // This is the fault that the relay is for; when the chain no longer has it, the correction can
  // go.
  expect(new Set(direct.of('programNotification').map(({ slot }) => slot)).size).toBe(1);
  direct.socket.close();
});

test.each([
  ['programSubscribe', 'programNotification', PROGRAM_ID],
  ['accountSubscribe', 'accountNotification', ACCOUNT],
])('%s is acknowledged late, and a write at once behind that is notified', async (...names) => {
  const [subscription, notification, key] = names;
  for (let byte = 1; byte <= 10; byte += 1) {
    const startMs = performance.now();
    const listener = await Listener.open(relay.wsUrl, [[subscription, [key, PROCESSED]]]);
    // A quiet machine seldom loses a write that comes too soon; a busy one did in 3 of 60.
    expect(performance.now() - startMs).toBeGreaterThan(ACKNOWLEDGEMENT_HOLD_MS - EARLY_MS);
    await writer.writeAccount({ pubkey: ACCOUNT, owner: PROGRAM_ID, data: Buffer.of(byte) });
    await vi.waitFor(() => expect(bytes(listener, notification)).toContain(byte), DEADLINE);
    listener.socket.close();
  }
});

test('a cut with a time keeps new connections away for that long', async () => {
  relay.cutSessions({ downMs: 60_000 });
  await expect(subscribe()).rejects.toThrow();
  await expect(rpc(relay.rpcUrl, 'getSlot', [])).rejects.toThrow();
  relay.cutSessions({ downMs: 300 });
  await vi.waitFor(() => rpc(relay.rpcUrl, 'getSlot', []), DEADLINE);
});

test('moving to another chain keeps the port, and the slots are those of the new chain', async () => {
  const other = await LocalChain.start({ slotTimeMs: SLOT_MS });
  try {
    const listener = await subscribe();
    const genesis = await rpc<string>(relay.rpcUrl, 'getGenesisHash', []);
    const { rpcUrl } = relay;
    relay.noteSlot(1_000_000);
    relay.retarget(other);
    expect(await listener.closed).toBe(1006);
    expect(relay.rpcUrl).toBe(rpcUrl);
    expect(await rpc<string>(rpcUrl, 'getGenesisHash', [])).not.toBe(genesis);
    await vi.waitFor(() => expect(relay.latestSlot).toBeDefined(), DEADLINE);
    expect(relay.latestSlot).toBeLessThan(1_000_000);
  } finally {
    await other.stop();
  }
});

test('a chain that is gone breaks the connections of its clients', async () => {
  const other = await LocalChain.start({ slotTimeMs: SLOT_MS });
  const front = await Relay.start(other);
  const listener = await Listener.open(front.wsUrl, [['slotSubscribe', []]]);
  await other.kill();
  expect(await listener.closed).toBe(1006);
  await expect(rpc(front.rpcUrl, 'getSlot', [])).rejects.toThrow();
  await front.stop();
});

test('a client that looks for the WebSocket on the next port finds it there', async () => {
  const connection = new Connection(relay.rpcUrl, 'processed');
  let slot = 0;
  const id = connection.onSlotChange((info) => {
    slot = info.slot;
  });
  await vi.waitFor(() => expect(slot).toBeGreaterThan(0), DEADLINE);
  await connection.removeSlotChangeListener(id);
});

describe('a batch of calls', () => {
  const post = async (body: string): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(relay.rpcUrl, { method: 'POST', headers, body });
    return JSON.parse(await response.text());
  };
  const call = (id: number, method: string): object => ({ jsonrpc: '2.0', id, method });

  test('is answered in order, with the errors of its calls in their places', async () => {
    const methods = ['getSlot', 'getNothing', ...Array<string>(20).fill('getGenesisHash')];
    const responses = await post(` ${JSON.stringify(methods.map((name, id) => call(id, name)))}`);
    expect((responses as { id: number }[]).map(({ id }) => id)).toEqual(methods.map((_, id) => id));
    expect(responses).toMatchObject(
      [
        { result: expect.any(Number) },
        { error: { code: -32_601 } },
        { result: expect.any(String) },
      ].concat(Array(19).fill({ result: expect.any(String) })),
    );
  });

  test.each(['[]', '[1', JSON.stringify(Array(101).fill(call(1, 'getSlot')))])(
    '%.20s is left to the chain, which refuses it',
    async (body) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(relay.rpcUrl, { method: 'POST', headers, body });
      expect(await response.text()).not.toContain('"result"');
    },
  );
});
