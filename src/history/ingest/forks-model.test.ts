/**
 * Random chains with forks, whose node notifies twice, late, or not at all: the history converges
 * to the finalised chain. SEED=n selects another run.
 */
import { expect, test } from 'vitest';
import type { LedgerTransaction } from '../../../test/scripted-ledger.js';
import { fillLine, type IngestRig } from '../../../test/support/ingest-rig.js';
import { IngestScene } from '../../../test/support/ingest-scene.js';
import { Random } from '../../sim/random.js';

const SEED = Number(process.env['SEED'] ?? 20_261_121);
const LIVES = 3;
const STEPS = 120;
/** Late repetitions of earlier notifications at the end. */
const LATE = 30;

class Life {
  readonly #random: Random;
  readonly #versions: LedgerTransaction[] = [];
  #nextId = 1;

  constructor(
    readonly scene: IngestScene,
    seed: number,
  ) {
    this.#random = new Random(seed);
  }

  /** One random event on the chain. */
  step(): void {
    const { ledger } = this.scene;
    ledger.tick(this.#random.nextBelow(3));
    // Two forks have the same transaction in different slots, because a slot has one leader.
    const open = ledger.listed.filter(({ slot }) => {
      return slot > ledger.finalisedSlot && slot < ledger.slot;
    });
    const victim = open[this.#random.nextBelow(Math.max(1, open.length))];
    const kind = this.#random.nextBelow(10);
    if (victim === undefined || kind < 6) this.#keep(ledger.add(this.#lines()));
    else if (kind < 8) ledger.takeBack(victim);
    else {
      const failed = this.#random.nextBelow(3) === 0;
      const lines = this.#random.nextBelow(2) === 0 ? victim.lines : this.#lines();
      this.#keep(ledger.moveToNewest({ ...victim, lines }, { failed }));
    }
    if (this.#random.nextBelow(3) === 0) this.tellAny();
  }

  /** Notifies of some earlier event, on any fork. */
  tellAny(): void {
    const told = this.#versions[this.#random.nextBelow(this.#versions.length)];
    if (told !== undefined) this.scene.node.tell(told);
  }

  /** The fills of the finalised chain, in order. */
  get expected(): readonly number[] {
    return this.scene.ledger.listed
      .toReversed()
      .filter(({ failed }) => !failed)
      .flatMap(({ lines }) => (lines ?? []).filter((line) => line.startsWith('fill ')))
      .map((line) => Number(line.slice(5)));
  }

  #keep(made: LedgerTransaction): void {
    this.#versions.push(made);
    const isCut = this.#random.nextBelow(8) === 0;
    if (this.#random.nextBelow(4) > 0) {
      this.scene.node.tell(isCut ? { ...made, lines: ['Log truncated'] } : made);
    }
  }

  #lines(): readonly string[] {
    if (this.#random.nextBelow(3) === 0) return ['nothing'];
    this.#nextId += 1;
    return [fillLine(this.#nextId)];
  }
}

/** A few passes of the finalised check, so that events fall between them. */
async function passes(rig: IngestRig, count: number): Promise<void> {
  const { settlePasses } = rig.counters;
  await rig.until(() => {
    expect(rig.counters.settlePasses).toBeGreaterThanOrEqual(settlePasses + count);
  });
}

test.each(Array.from({ length: LIVES }, (_, at) => SEED + at))(
  'the history comes to what the chain has, SEED=%i',
  async (seed) => {
    const scene = await IngestScene.start();
    try {
      const rig = await scene.live();
      const life = new Life(scene, seed);
      for (let step = 1; step <= STEPS; step += 1) {
        life.step();
        if (step % 20 === 0) await passes(rig, 1);
      }
      await scene.settles(rig, life.expected);
      for (let told = 0; told < LATE; told += 1) life.tellAny();
      await passes(rig, 1);
      await scene.settles(rig, life.expected);
      expect(rig.store.truncated).toBe(0);
      expect(rig.counters.reverted).toBeGreaterThan(0);
    } finally {
      await scene.stop();
    }
  },
);
