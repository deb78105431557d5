/** A ledger, its nodes and the runs of ingestion of one test. */
import { expect } from 'vitest';
import { Ledger, LedgerNode, type LedgerTransaction } from '../scripted-ledger.js';
import { fillLine, IngestRig, type RigOptions } from './ingest-rig.js';

/** Slots after which all is final, and has been looked at. */
const LONG = 60;

export class IngestScene {
  readonly #nodes: LedgerNode[] = [];
  readonly #rigs: IngestRig[] = [];

  private constructor(private current: Ledger) {}

  static async start(): Promise<IngestScene> {
    const scene = new IngestScene(new Ledger());
    await scene.addNode();
    return scene;
  }

  async stop(): Promise<void> {
    for (const rig of this.#rigs) await rig.stop();
    for (const node of this.#nodes) await node.stop();
  }

  get ledger(): Ledger {
    return this.current;
  }

  /** The first node is of this chain from now on. */
  serve(ledger: Ledger): void {
    this.current = ledger;
    this.node.serve(ledger);
  }

  get node(): LedgerNode {
    const [node] = this.#nodes;
    if (node === undefined) throw new Error('the scene has no node');
    return node;
  }

  async addNode(): Promise<LedgerNode> {
    const node = await LedgerNode.start(this.ledger);
    this.#nodes.push(node);
    return node;
  }

  rig(options: Partial<RigOptions> = {}): IngestRig {
    const rig = new IngestRig({ nodes: [this.node, ...this.#nodes.slice(1)], ...options }).start();
    this.#rigs.push(rig);
    return rig;
  }

  async live(options: Partial<RigOptions> = {}): Promise<IngestRig> {
    const rig = this.rig(options);
    await rig.live();
    return rig;
  }

  /** A fill in a slot of its own. */
  fill(id: number): LedgerTransaction {
    this.ledger.tick();
    return this.ledger.add([fillLine(id)]);
  }

  /** The same, told by the first node. */
  told(id: number): LedgerTransaction {
    const made = this.fill(id);
    this.node.tell(made);
    return made;
  }

  /** All of these and nothing else, at its final place. */
  async settles(rig: IngestRig, ids: readonly number[]): Promise<void> {
    this.ledger.tick(LONG);
    await rig.until(() => {
      expect(rig.store.ids).toEqual(ids);
      expect(rig.store.isAllFinal).toBe(true);
    });
  }
}
