/** By how much longer an order may be wrong while the faults of nodes hide what a sound node would show. */
import { SLOT_MS } from './market-life.js';
import type { ModelGrpc } from './model-grpc.js';
import type { ModelNode } from './model-node.js';

/** Readings that were behind are doubted for so long. */
const BLIND_AFTER_MS = 5_000;
/** A book lags 2.5 s after the last slot: until then no reading is known to be later than a notification. */
const SLOTLESS_MS = 2_000;

/** Two readings of a node, and a slot between them, find what its socket lost; they may be late, now or a moment ago. */
export class Blindness {
  readonly #nodes: readonly ModelNode[];
  readonly #servers: readonly ModelGrpc[];
  #untilMs = 0;
  #ms = 0;

  constructor(nodes: readonly ModelNode[], servers: readonly ModelGrpc[] = []) {
    this.#nodes = nodes;
    this.#servers = servers;
  }

  /** `isCutOff`: no slot reaches the book for another reason. */
  readMs(nowMs: number, isCutOff = false): number {
    const slots = Math.max(...this.#nodes.map(({ faults }) => faults.answersBehindSlots));
    const slotlessMs = isCutOff || this.#isSlotless ? SLOTLESS_MS : 0;
    const ms = Math.max(2 * slots * SLOT_MS, slotlessMs);
    if (ms > 0) {
      this.#untilMs = nowMs + BLIND_AFTER_MS;
      this.#ms = ms;
    }
    return nowMs < this.#untilMs ? this.#ms : 0;
  }

  /** Whether no source of the book announces slots. */
  get #isSlotless(): boolean {
    const sources = this.#nodes.filter(({ isInUse }) => isInUse);
    return this.#servers.length === 0 && sources.every(({ faults }) => faults.silent.has('slot'));
  }
}
