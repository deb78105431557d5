/** Sources that do as a test says, as one connection, and the chain as nodes read it. */
import type { FeedSource, SourceListener } from '../../src/feed/model/feed-source.js';
import { MergedSources } from '../../src/feed/sources/merged-sources.js';
import type { SlotStatus } from '../../src/rpc/grpc/messages.js';
import type { NodeRpc } from '../../src/rpc/node-pool.js';
import { ManualTimers } from './manual-timers.js';

/** A source that does as the test says. */
export class FakeSource implements FeedSource {
  readonly counters = { connects: 0, resumes: 0, malformed: 0, foreign: 0 };
  listener: SourceListener | null = null;
  version = 0;

  constructor(
    readonly kind: FeedSource['kind'],
    readonly name: string,
  ) {}

  start(listener: SourceListener): void {
    this.listener = listener;
  }

  stop(): void {}

  dropConnection(): void {}

  followKeys(): Promise<void> {
    return Promise.resolve();
  }

  /** Reports an oracle, whose data is compared as bytes. */
  notifyWrite(pubkey: string, slot: number, data: string): void {
    this.version += 1;
    const writeVersion = this.kind === 'rpc' ? 0 : this.version;
    const account = { kind: 'perpMarket' as const, pubkey, owner: 'p', slot, data };
    this.listener?.onUpdate({ ...account, encoding: 'base64', closed: false, writeVersion });
  }

  notifyClosed(pubkey: string, slot: number): void {
    this.version += 1;
    const writeVersion = this.kind === 'rpc' ? 0 : this.version;
    const account = { kind: 'perpMarket' as const, pubkey, owner: '', slot, data: '' };
    this.listener?.onUpdate({ ...account, encoding: 'base64', closed: true, writeVersion });
  }

  notifySlot(slot: number, status: SlotStatus = 'begun', parent: number | null = slot - 1): void {
    this.listener?.onSlot({ slot, parent, status });
  }
}

/** The chain as nodes read it, and sources of it as one connection. */
export class SourceScene {
  readonly book = new Map<string, string>();
  /** Accounts that the book has as gone. */
  readonly closed = new Set<string>();
  readonly events: string[] = [];
  readonly timers = new ManualTimers();
  readonly chain = new Map<string, string>();
  /** Slots that the book was notified of. */
  readonly slots: number[] = [];
  readonly merged: MergedSources;
  slot = 100;
  /** Slots by which nodes that are read say to be ahead. */
  slotsAhead = 0;
  /** Calls for accounts with this one are refused by nodes that are read. */
  refused = '';
  /** Whether nodes can be read. */
  canRead = true;
  /** Whether servers notify of slots that are final. */
  isFinal = false;

  private constructor(
    readonly sources: readonly FakeSource[],
    witnesses: readonly string[],
  ) {
    const rpc = { call: (...args: Parameters<NodeRpc['call']>) => this.#read(args) } as NodeRpc;
    this.merged = new MergedSources({
      ...{ sources, timers: this.timers, random: () => 1 },
      witnesses: witnesses.map((name) => ({ name, rpc })),
    });
  }

  static async open(
    kinds: readonly string[],
    witnesses = ['other'],
    by = (sources: readonly FakeSource[]) => sources,
  ): Promise<SourceScene> {
    const sources = kinds.map((kind, at) =>
      kind === 'rpc' ? new FakeSource('rpc', 'node') : new FakeSource('grpc', `host${at}`),
    );
    const scene = new SourceScene(sources, witnesses);
    scene.merged.connection.start({
      onOpened: () => scene.events.push('opened'),
      onClosed: (reason) => scene.events.push(`closed: ${reason}`),
      onMalformed: () => scene.events.push('malformed'),
    });
    for (const { listener } of by(sources)) listener?.onOpened();
    await scene.subscribe();
    scene.tickSlots(5, by(sources));
    return scene;
  }

  async subscribe(): Promise<void> {
    await this.merged.subscribeAll({
      onSlot: (slot) => this.slots.push(slot?.slot ?? 0),
      onUpdate: (update) => {
        if (update === null) return;
        const { pubkey, data, closed } = update;
        this.book.set(pubkey, data);
        if (closed) this.closed.add(pubkey);
        else this.closed.delete(pubkey);
      },
      onLost: (keys) => this.events.push(`lost ${keys.join()}`),
    });
  }

  /** All sources tell a state of the present slot. */
  writeAccount(pubkey: string, data: string, by = this.sources): void {
    this.chain.set(pubkey, data);
    for (const source of by) source.notifyWrite(pubkey, this.slot, data);
  }

  /** So many slots go by, notified by these. */
  tickSlots(slots: number, by = this.sources): void {
    for (let passed = 0; passed < slots; passed += 1) {
      this.slot += 1;
      this.timers.advance(400);
      for (const source of by) {
        source.notifySlot(this.slot);
        if (source.kind === 'grpc' && this.isFinal) source.notifySlot(this.slot - 32, 'finalized');
      }
    }
  }

  /** Readings are under way. */
  async settleReads(): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  async passSlots(slots: number, by = this.sources): Promise<void> {
    for (let passed = 0; passed < slots; passed += 1) {
      this.tickSlots(1, by);
      await this.settleReads();
    }
  }

  get states(): readonly string[] {
    return this.merged.readStatus().map(({ state }) => state);
  }

  #read<T>([method, [keys], parse]: Parameters<NodeRpc['call']>): Promise<T> {
    if (!this.canRead) return Promise.reject(new Error('the node is down'));
    if (method === 'getSlot') return Promise.resolve(parse(this.slot + this.slotsAhead) as T);
    if ((keys as string[]).includes(this.refused)) return Promise.reject(new Error('refused'));
    const value = (keys as string[]).map((key) => {
      const data = this.chain.get(key);
      return data === undefined ? null : { lamports: 1, owner: 'p', data: [data, 'base64'] };
    });
    return Promise.resolve(parse({ context: { slot: this.slot }, value }) as T);
  }
}
