/** What nodes of the model network tell must fit together, or the simulation finds defects that are its own. */
import { expect, test } from 'vitest';
import { Random } from '../../src/sim/random.js';
import { NO_LIFE, unixSecondsOf } from './market-life.js';
import { ModelChain } from './model-chain.js';
import { ModelLedger } from './model-ledger.js';
import { ModelNode } from './model-node.js';
import { type NodeFaults, soundNode } from './node-faults.js';
import { VirtualTime } from './virtual-time.js';

/** A node of a chain without accounts, with these faults. */
function nodeWith(faults: Partial<NodeFaults>): ModelNode {
  const time = new VirtualTime();
  const chain = new ModelChain({ time, life: NO_LIFE, seed: 1 });
  const ledger = new ModelLedger(chain, new Random(1));
  const node = new ModelNode({ name: 'node', chain, ledger, seed: 1 });
  node.faults = { ...soundNode(), ...faults };
  return node;
}

/** The result of a call, which is a number. */
function call(node: ModelNode, method: string, params: readonly unknown[]): number {
  const reply = node.handleRequest(JSON.stringify({ id: 1, method, params }));
  if (typeof reply === 'string') throw new Error(`${method} was ${reply}`);
  const body = Buffer.concat(reply.parts.map(({ bytes }) => bytes)).toString();
  return (JSON.parse(body) as { readonly result: number }).result;
}

test('a node that is behind tells an earlier slot, and the block time of that slot', () => {
  const behind = nodeWith({ answersBehindSlots: 20 });
  const slot = call(behind, 'getSlot', []);
  expect(slot).toBe(call(nodeWith({}), 'getSlot', []) - 20);
  expect(call(behind, 'getBlockTime', [slot])).toBe(unixSecondsOf(slot));
});

test('a node whose slots are too high tells the time of now for them', () => {
  const [ahead, sound] = [nodeWith({ slotsAhead: 700 }), nodeWith({})];
  const slot = call(ahead, 'getSlot', []);
  const trueSlot = call(sound, 'getSlot', []);
  expect(slot).toBe(trueSlot + 700);
  expect(call(ahead, 'getBlockTime', [slot])).toBe(call(sound, 'getBlockTime', [trueSlot]));
});
