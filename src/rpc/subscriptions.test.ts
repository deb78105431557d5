import { expect, test } from 'vitest';
import { SubscriptionTable } from './subscriptions.js';
import { systemTimers } from './timers.js';

/** Ids of which two are one number of 53 bits. */
const IDS = [
  '7',
  '9007199254740992',
  '9007199254740993',
  '18446744073709551614',
  '18446744073709551615',
];

test('subscriptions whose ids need 64 bits stay apart, and are ended by their own ids', async () => {
  const table = new SubscriptionTable({ timers: systemTimers, ackTimeoutMs: 1_000 });
  const received: [id: string, result: unknown][] = [];
  const take = (text: string): string => table.handleMessage(JSON.parse(text), () => text);
  const notify = (id: string, result: string): string =>
    take(`{"method":"n","params":{"result":"${result}","subscription":${id}}}`);
  const requests = IDS.map((id) =>
    table.openRequest('slotSubscribe', (result) => received.push([id, result])),
  );
  for (const id of IDS) expect(notify(id, 'early')).toBe('early');
  for (const [at, { id }] of requests.entries())
    take(`{"jsonrpc":"2.0","result": ${IDS[at]} ,"id":${id}}`);
  const acknowledged = await Promise.all(requests.map((request) => request.acknowledged));
  expect(acknowledged.map(String)).toEqual(IDS);
  for (const id of IDS) notify(id, '\\"subscription\\":1,');
  expect(received.map(([id]) => id)).toEqual([...IDS, ...IDS]);
  table.removeSubscription(acknowledged[1] ?? '');
  expect(IDS.map((id) => notify(id, 'late'))).toEqual([
    'notification',
    'unknown',
    ...Array(3).fill('notification'),
  ]);
});
