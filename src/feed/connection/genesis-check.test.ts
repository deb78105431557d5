import { afterEach, expect, test } from 'vitest';
import { type World, world } from '../../../test/world/world.js';
import { GenesisCheck } from './genesis-check.js';
import type { FeedParts } from './parts.js';

let scene: World;

afterEach(() => scene.stop());

const chainOfBook = async (): Promise<unknown> => {
  const { genesisHash } = await scene.service.json('/status');
  return genesisHash;
};

test.each([1, 2] as const)(
  'a node, of %i, names a wrong chain as a connection begins: the book comes back to its own',
  async (nodes) => {
    scene = await world({ nodes });
    const before = await chainOfBook();
    for (const node of scene.nodes) {
      node.faults.hasOtherGenesis = true;
      node.cutConnections();
    }
    await scene.run(5_000);
    expect(await chainOfBook()).not.toBe(before);
    for (const node of scene.nodes) node.faults.hasOtherGenesis = false;
    await scene.run(40_000);
    expect(await chainOfBook()).toBe(before);
    expect(scene.service.states.at(-1)).toBe('live');
  },
);

test.each([
  ['one other name', ['other', 'own'], null],
  ['a failed reading', [null, 'own'], null],
  ['two other names', ['other', 'other'], 'genesis hash was other, must be own on this connection'],
] as const)('after %s of a connected node: %j is %s', async (_, named, refusal) => {
  let nowMs = 0;
  const said: (string | null)[] = ['own', ...named];
  const rpc = { call: async () => said.shift() ?? Promise.reject(new Error('down')) };
  const check = new GenesisCheck({ timers: { nowMs: () => nowMs }, rpc } as unknown as FeedParts);
  const { signal } = new AbortController();
  await check.beginChain(() => undefined, signal);
  const readings = async () => {
    for (; said.length > 0; nowMs += 100) await check.checkIfDue(signal);
  };
  if (refusal === null) await readings();
  else await expect(readings()).rejects.toThrow(refusal);
  expect(said).toEqual([]);
});
