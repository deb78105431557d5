import { expect, test } from 'vitest';
import type { RpcClient } from './client.js';
import { readAccountTexts, readGenesisHash, readPriorityFees } from './methods.js';

/** A client with one result, and its recorded calls. */
function answering(result: unknown) {
  const asked: unknown[] = [];
  const call: RpcClient['call'] = async (method, params, parse) => {
    asked.push(method, params);
    return parse(result);
  };
  return { call, asked };
}

const { signal } = new AbortController();
const account = (data: unknown) => ({ data, lamports: 1, owner: 'x' });

test('the accounts of one call come as base64 in the order of their keys, null where none is, empty of another owner', async () => {
  const foreign = { ...account(['AAAA', 'base64']), owner: 'y' };
  const rpc = answering({
    context: { slot: 1 },
    value: [account(['AAAA', 'base64']), null, foreign],
  });
  expect(await readAccountTexts(rpc, { keys: ['a', 'b', 'c'], owner: 'x' }, signal)).toEqual([
    'AAAA',
    null,
    '',
  ]);
  const dataSlice = { offset: 0, length: 8192 };
  const options = { encoding: 'base64', commitment: 'processed', dataSlice };
  expect(rpc.asked).toEqual(['getMultipleAccounts', [['a', 'b', 'c'], options]]);
});

test.each([
  ['no result', null],
  ['no value', {}],
  ['fewer accounts than keys', { value: [null] }],
  ['more accounts than keys', { value: [null, null, null] }],
  ['another encoding', { value: [null, account(['AAAA', 'base58'])] }],
  ['data that is no text', { value: [null, account([7, 'base64'])] }],
  ['an account that is none', { value: [null, 7] }],
])('an answer with %s is refused by its code', async (_, result) => {
  const reading = readAccountTexts(answering(result), { keys: ['a', 'b'], owner: 'x' }, signal);
  await expect(reading).rejects.toMatchObject({ code: 'MALFORMED_RPC_ANSWER' });
});

test('the genesis hash of a node', async () => {
  const hash = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
  const rpc = answering(hash);
  expect(await readGenesisHash(rpc)).toBe(hash);
  expect(rpc.asked).toEqual(['getGenesisHash', []]);
});

test.each([null, 7, '', 'short', '0'.repeat(44), '../'.repeat(14), 'a'.repeat(45)])(
  'a genesis hash %j is refused by its code',
  async (result) => {
    const reading = readGenesisHash(answering(result));
    await expect(reading).rejects.toMatchObject({ code: 'MALFORMED_RPC_ANSWER' });
  },
);

test('priority fees are those of the blocks, whatever else a row has', async () => {
  const rows = [
    { slot: 7, prioritizationFee: 0 },
    { slot: 8, prioritizationFee: 12_000 },
  ];
  expect(await readPriorityFees(answering(rows), ['a'], signal)).toEqual([0, 12_000]);
  expect(await readPriorityFees(answering([]), ['a'], signal)).toEqual([]);
});

test.each([
  [null],
  [{}],
  ['fees'],
  [[null]],
  [[{}]],
  [[{ slot: 7, prioritizationFee: '5' }]],
  [[{ slot: 7, prioritizationFee: -1 }]],
  [[{ slot: 7, prioritizationFee: 0.5 }]],
])('priority fees that are %j are malformed', async (result) => {
  const reading = readPriorityFees(answering(result), ['a'], signal);
  await expect(reading).rejects.toMatchObject({ code: 'MALFORMED_RPC_ANSWER' });
});
