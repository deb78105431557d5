import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyOf, PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { LocalChain } from '../../src/sim/chain/chain-process.js';
import { ChainRpc } from '../../src/sim/chain/chain-rpc.js';
import type { LoggedEvent, Patch, ProgramCall } from '../../src/sim/chain/program-call.js';
import { TransactionSender } from '../../src/sim/chain/transaction-sender.js';
import { slotsOf } from '../support/transaction-slots.js';

const ACCOUNTS = [4_376, 1_216, 775].map((size, i) => ({
  size,
  pubkey: keyOf(bytesOf(32, i + 1)),
}));

let chain: LocalChain;
let rpc: ChainRpc;
let sender: TransactionSender;

beforeAll(async () => {
  chain = await LocalChain.start({ slotTimeMs: 50 });
  rpc = new ChainRpc(chain.rpcUrl, { connections: 1 });
  sender = await TransactionSender.deployProgram(rpc);
  for (const { pubkey, size } of ACCOUNTS) {
    const data = bytesOf(size, 7).toString('hex');
    const account = { lamports: 100_000_000, owner: PROGRAM_ID, executable: false, data };
    await rpc.call('surfnet_setAccount', [pubkey, account]);
  }
});

afterAll(async () => {
  rpc?.close();
  await chain?.stop();
});

/** Bytes that look like nothing else, of a seed. */
function bytesOf(count: number, seed: number): Buffer {
  return Buffer.from(Array.from({ length: count }, (_, i) => (i * 31 + seed * 101) % 256));
}

function account(place: number): { pubkey: string; size: number } {
  const found = ACCOUNTS[place];
  if (found === undefined) throw new Error('there are three accounts');
  return found;
}

async function dataOf(place: number): Promise<Buffer> {
  const config = { encoding: 'base64', commitment: 'processed' };
  const { value } = await rpc.call<{ value: { data: [string, string] } }>('getAccountInfo', [
    account(place).pubkey,
    config,
  ]);
  return Buffer.from(value.data[0], 'base64');
}

async function logsOf(signature: string): Promise<{ err: unknown; lines: string[] }> {
  const config = { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
  const { meta } = await rpc.call<{ meta: { err: unknown; logMessages: string[] } }>(
    'getTransaction',
    [signature, config],
  );
  return { err: meta.err, lines: meta.logMessages };
}

/** Sends a call and gives back the lines between the program's first and last. */
async function logged(call: ProgramCall): Promise<string[]> {
  const signature = await sender.sendCall(call);
  const { lines } = await logsOf(signature);
  expect(lines[0]).toBe(`Program ${PROGRAM_ID} invoke [1]`);
  expect(lines.at(-1)).toBe(`Program ${PROGRAM_ID} success`);
  return lines.slice(1, -2);
}

test('one transaction changes several accounts, each of a length of its own, and nothing else', async () => {
  const before = [await dataOf(0), await dataOf(1), await dataOf(2)];
  const patches: Patch[] = [
    { pubkey: account(0).pubkey, offset: 0, bytes: Buffer.from([1]) },
    { pubkey: account(0).pubkey, offset: 4_376 - 300, bytes: bytesOf(300, 3) },
    { pubkey: account(1).pubkey, offset: 700, bytes: bytesOf(16, 4) },
    { pubkey: account(2).pubkey, offset: 774, bytes: Buffer.from([9]) },
  ];
  await sender.sendCall({ patches, events: [] });
  for (const { pubkey, offset, bytes } of patches) {
    before[ACCOUNTS.findIndex((one) => one.pubkey === pubkey)]?.set(bytes, offset);
  }
  for (const [place, data] of before.entries()) expect(await dataOf(place)).toEqual(data);
});

test.each([0, 1, 2, 3, 57, 254, 255, 256, 300, 509])(
  'an event of %i bytes is logged in both forms, to the byte',
  async (size) => {
    const bytes = bytesOf(size, size);
    const lines = await logged({
      patches: [],
      events: [
        { form: 'data', bytes },
        { form: 'base64', bytes },
      ],
    });
    const text = bytes.toString('base64');
    expect(lines).toEqual([`Program data: ${text}`, `Program log: ${text}`]);
  },
);

test('keys of the accounts of a call are part of its events, wherever they are', async () => {
  const keys = ACCOUNTS.map((_, place) => bytesOf(32, place + 1));
  const middle = [bytesOf(5, 50), bytesOf(9, 60)] as const;
  const bytes = Buffer.concat([...keys.slice(0, 2), ...middle, ...keys.slice(2)]);
  const patches = ACCOUNTS.map(({ pubkey }) => ({ pubkey, offset: 1, bytes: Buffer.from([1]) }));
  const events: LoggedEvent[] = [{ form: 'base64', bytes }];
  expect(await logged({ patches, events })).toEqual([`Program log: ${bytes.toString('base64')}`]);
});

test('a text is logged as it is', async () => {
  const events: LoggedEvent[] = [{ form: 'text', bytes: Buffer.from('Program data: not so') }];
  expect(await logged({ patches: [], events })).toEqual(['Program log: Program data: not so']);
});

test('a call that fails is refused, and sent untried it leaves its log and no change', async () => {
  const before = await dataOf(2);
  const call: ProgramCall = {
    patches: [{ pubkey: account(2).pubkey, offset: 0, bytes: Buffer.from([99]) }],
    events: [{ form: 'data', bytes: Buffer.from('undone') }],
    outcome: 'failure',
  };
  await expect(sender.sendCall(call)).rejects.toMatchObject({ code: 'CALL_REFUSED' });
  const signature = await sender.sendCall(call, { skipPreflight: true });
  await expect(slotsOf(rpc, [signature])).rejects.toThrow(`${signature} failed`);
  const { err, lines } = await logsOf(signature);
  expect(err).not.toBeNull();
  expect(lines).toContain(`Program data: ${Buffer.from('undone').toString('base64')}`);
  expect(await dataOf(2)).toEqual(before);
});
