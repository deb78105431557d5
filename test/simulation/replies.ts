/** Bodies and messages of a node that is slow, and those that are spoiled. */
import type { Random } from '../../src/sim/random.js';
import type { HostReply } from './network.js';
import type { NodeFaults } from './node-faults.js';

/** Between two bytes of a scan that trickles, and how many come. */
const TRICKLE_MS = 4_000;
const TRICKLED_BYTES_MAX = 100;

/** The beginning of a text, a byte every few seconds. */
export function trickledReply(text: string): HostReply {
  const bytes = Buffer.from(text.slice(0, TRICKLED_BYTES_MAX));
  const parts = [...bytes].map((byte) => ({ delayMs: TRICKLE_MS, bytes: Buffer.of(byte) }));
  return { status: 200, parts, end: 'never' };
}

/** A text that comes whole. */
export function partsOf(text: string): HostReply['parts'] {
  return [{ delayMs: 0, bytes: Buffer.from(text) }];
}

/** Frames of zstd in the text are no more what they begin as. */
export function withWrongZstd(text: string): string {
  return text.replaceAll('KLUv/aA', 'KLUv/aB');
}

/** The text with some of it cut out or replaced. */
export function spoiled(text: string, random: Random): string {
  const at = random.nextBelow(text.length);
  if (random.oneIn(2)) return text.slice(0, at);
  return `${text.slice(0, at)}${'#'.repeat(8)}${text.slice(at + 8)}`;
}

/** A reply as a node with these faults sends it. */
export function spoiledReply(
  text: string,
  { bodies, stallsBodies }: NodeFaults,
  random: Random,
): HostReply {
  if (stallsBodies) {
    return { status: 200, parts: partsOf(text.slice(0, text.length / 2)), end: 'never' };
  }
  switch (bodies) {
    case 'sound':
      return { status: 200, parts: partsOf(text) };
    case 'cut':
      return { status: 200, parts: partsOf(text.slice(0, text.length / 2)), end: 'reset' };
    case 'half':
      return { status: 200, parts: partsOf(text.slice(0, text.length / 2)) };
    case 'garbled':
      return { status: 200, parts: partsOf(spoiled(text, random)) };
    case 'empty':
      return { status: 200, parts: [] };
    case 'null':
      return { status: 200, parts: partsOf('{"jsonrpc":"2.0","result":null,"id":1}') };
    case 'wrongZstd':
      return { status: 200, parts: partsOf(withWrongZstd(text)) };
  }
}
