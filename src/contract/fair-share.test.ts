import { expect, test } from 'vitest';
import { ClientTurns } from './fair-share.js';

test('clients that come again and again keep none waiting that stays', () => {
  const turns = new ClientTurns();
  const waiting = [1, 2, 3].map((number) => ({ client: 'stays', number }));
  const served: string[] = [];
  for (let turn = 0; turn < 9; turn += 1) {
    // One of two others comes for each turn, and leaves when it was served.
    const other = { client: `other ${turn % 2}`, number: 0 };
    const all = [...waiting, other];
    const next = turns.takeNext(all);
    served.push(next?.client ?? '');
    if (next !== undefined && next !== other) waiting.splice(waiting.indexOf(next), 1);
  }
  expect(served.filter((client) => client === 'stays')).toHaveLength(3);
});
