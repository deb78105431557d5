/** Proves the books of one followed topic by the service's signed log. */
import type { Clock } from '../environment.js';
import { ClientError } from '../error.js';
import { Requester, type ServiceOptions } from '../http/request.js';
import type { Best, BookView, ProvenBook, Topic } from '../stream/topic.js';
import {
  evidenceOf,
  hashOfBook,
  type MarketProof,
  marketProof,
  type ProvenEntry,
  verifyProof,
} from './verify-proof.js';

/** Interval between two proofs: the log has a leaf a second. */
const PROOF_MS = 1_000;
/** Frames of a leaf's book may come so long after its proof. */
const FRAME_MS_MAX = 2_000;
/** Time without a proof of a changed book after which proofs count as withheld. */
const PROOF_MS_MAX = 15_000;
/** Books that are kept until a leaf is known: those of some seconds at the service's interval. */
const VIEWS_MAX = 2_000;

interface BookProofOptions extends ServiceOptions {
  readonly clock: Clock;
  readonly topic: Topic;
  /** The key of the log, `NAME+ID+KEY`. */
  readonly key: string;
  readonly onProven: (proven: ProvenBook) => void;
  readonly onFailed: (error: ClientError) => void;
}

/** Compares each book of a leaf with the book that was followed. */
export class BookProof {
  readonly #options: BookProofOptions;
  readonly #requester: Requester;
  #views: BookView<Best>[] = [];
  #wanted: { readonly seq: number; readonly sinceMs: number } | undefined;
  #proven = -1;
  #last: { readonly size: number; readonly root: string; readonly note: string } | undefined;
  #cancel: () => void = () => {};
  #isOver = false;

  constructor(options: BookProofOptions) {
    this.#options = options;
    this.#requester = new Requester({ ...options, retriesMax: 0 });
    this.#planProof();
  }

  /** Adds each book of the topic. */
  addView(view: BookView<Best>): void {
    const last = this.#views.at(-1);
    if (!view.isFollowing || (last?.seq === view.seq && last.epoch === view.epoch)) return;
    if (last !== undefined && last.epoch !== view.epoch) this.#forgetViews();
    this.#views.push(view);
    if (this.#views.length > VIEWS_MAX) this.#views.shift();
  }

  stop(): void {
    this.#isOver = true;
    this.#cancel();
  }

  #forgetViews(): void {
    this.#views = [];
    this.#wanted = undefined;
    this.#proven = -1;
  }

  #planProof(): void {
    this.#cancel = this.#options.clock.after(PROOF_MS, () => {
      this.#proveNewest().then(
        () => this.#isOver || this.#planProof(),
        (error: unknown) => this.#reportFailure(error as ClientError, {}),
      );
    });
  }

  async #proveNewest(): Promise<void> {
    const { clock, topic, key } = this.#options;
    this.#wantNewest();
    if (this.#wanted === undefined) return;
    const nowMs = clock.monotonicMs();
    const { seq, sinceMs } = this.#wanted;
    const proof = await this.#readProof({ marketName: topic.market, seq });
    if (this.#isOver) return;
    if (proof === null) {
      if (nowMs - sinceMs < PROOF_MS_MAX) return;
      const error = new ClientError('PROOF_FAILED', `no leaf has seq ${seq} within 15 s`);
      this.#reportFailure(error, {});
      return;
    }
    const entry = await verifyProof(proof, key).catch((error: ClientError) =>
      this.#reportFailure(error, { proof }),
    );
    if (entry === undefined || !this.#isGrown(entry, proof)) return;
    await this.#untilFrames(entry.seq);
    const isBefore = ({ seq, epoch }: BookView<Best>): boolean =>
      seq <= entry.seq && epoch === entry.epoch;
    const view = this.#views.filter((one) => isBefore(one)).at(-1);
    if (view !== undefined && !this.#isOver) await this.#compareBook(view, { entry, proof });
  }

  /** Wants a proof of the newest book, unless one is wanted or it is proven. */
  #wantNewest(): void {
    const { seq } = this.#views.at(-1) ?? { seq: -1 };
    const sinceMs = this.#options.clock.monotonicMs();
    if (seq > this.#proven) this.#wanted ??= { seq, sinceMs };
  }

  async #compareBook(
    view: BookView<Best>,
    { entry, proof }: { readonly entry: ProvenEntry; readonly proof: MarketProof },
  ): Promise<void> {
    const { onProven, topic } = this.#options;
    const signed = topic.channel === 'l3' ? entry.l3 : entry.book;
    if ((await hashOfBook(view)) !== signed) {
      const message = `the book at seq ${view.seq} is not the signed one of seq ${entry.seq}`;
      const { bids, asks, epoch, seq } = view;
      this.#reportFailure(new ClientError('PROOF_FAILED', message), {
        proof,
        epoch,
        seq,
        bids,
        asks,
      });
      return;
    }
    const { marketType, marketIndex, seq, slot, ts, size } = entry;
    this.#proven = seq;
    this.#wanted = undefined;
    this.#wantNewest();
    this.#views = this.#views.filter((one) => one.seq >= view.seq);
    onProven({ marketType, marketIndex, seq, slot, ts, size });
  }

  /** Whether a checkpoint may be of the log that was seen before. */
  #isGrown({ size, root }: ProvenEntry, proof: MarketProof): boolean {
    const last = this.#last;
    if (last !== undefined && (size < last.size || (size === last.size && root !== last.root))) {
      const message = `the log had ${last.size} leaves, and then ${size} of another root`;
      this.#reportFailure(new ClientError('PROOF_FAILED', message), { proof, before: last.note });
      return false;
    }
    this.#last = { size, root, note: proof.checkpoint };
    return true;
  }

  /** Waits for a frame after the sequence number, or until it would have come. */
  async #untilFrames(seq: number): Promise<void> {
    const { clock } = this.#options;
    const endMs = clock.monotonicMs() + FRAME_MS_MAX;
    while ((this.#views.at(-1)?.seq ?? 0) < seq && clock.monotonicMs() < endMs) {
      await new Promise<void>((resolve) => {
        clock.after(FRAME_MS_MAX / 20, resolve);
      });
    }
  }

  /** Returns the proof; null while the service has none, or does not answer. */
  async #readProof(query: { marketName: string; seq: number }): Promise<MarketProof | null> {
    try {
      return (await this.#requester.get({ path: '/proof', query, read: marketProof })).value;
    } catch (error) {
      if (error instanceof ClientError && error.code === 'MALFORMED_ANSWER') throw error;
      return null;
    }
  }

  #reportFailure(error: ClientError, evidence: object): void {
    if (this.#isOver) return;
    this.stop();
    const { key, topic } = this.#options;
    const { message } = error;
    const content = evidenceOf({ reason: message, key, ...topic, ...evidence });
    this.#options.onFailed(new ClientError('PROOF_FAILED', message, {}, { evidence: content }));
  }
}
