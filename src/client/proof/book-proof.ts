/** Proves the books of one followed topic by the service's signed log. */
import type { Clock, Fetch } from '../environment.js';
import type { ClientError } from '../error.js';
import type { Best, BookView, ProvenBook, Topic } from '../stream/topic.js';
import {
  evidenceOf,
  hashOfBook,
  type MarketProof,
  type ProofFault,
  type ProvenEntry,
  verifyProof,
} from './verify-proof.js';

/** Interval between two proofs: the log has a leaf a second. */
const PROOF_MS = 1_000;
/** Frames of a leaf's book may come so long after its proof. */
const FRAME_MS_MAX = 2_000;
/** Time without a proof of a changed book after which proofs count as withheld. */
const PROOF_MS_MAX = 15_000;
/** A slower edge has the log of some seconds ago; fewer leaves with a later entry are a log that was rolled back. */
const BEHIND_MS_MAX = 2 * PROOF_MS_MAX;
/** Books that are kept until a leaf is known: those of some seconds at the service's interval. */
const VIEWS_MAX = 2_000;

/** Time for an answer. */
const ANSWER_MS_MAX = 10_000;

interface BookProofOptions {
  readonly url: string;
  readonly fetch?: Fetch | undefined;
  readonly clock: Clock;
  readonly topic: Topic;
  /** The key of the log, `NAME+ID+KEY`. */
  readonly key: string;
  readonly ClientError: typeof ClientError;
}

/** The proven subscription. */
interface ProvenSubscription {
  proven: ProvenBook | undefined;
  readonly isOpen: boolean;
  readonly view: BookView<Best> | undefined;
  failWith(error: ClientError): void;
  onUpdate(listener: (view: BookView<Best>) => void): unknown;
}

/** Proves the books of a subscription each second, until it ends. */
export function proveBooks(options: BookProofOptions, subscription: ProvenSubscription): void {
  const names = unprovable(options);
  if (names.length > 0) {
    const reason = `l3 or book of depth 500 can be proven, not with ${names.join(', ')}`;
    subscription.failWith(new options.ClientError('INVALID_OPTION', reason));
    return;
  }
  const proof = new BookProof(options, subscription);
  subscription.onUpdate((view) => proof.addView(view));
}

/** Compares each book of a leaf with the book that was followed. */
class BookProof {
  readonly #options: BookProofOptions;
  readonly #subscription: ProvenSubscription;
  #views: BookView<Best>[] = [];
  #wanted: { readonly seq: number; sinceMs: number } | undefined;
  #proven = -1;
  /** The longest log that was seen, and the time of its newest book, Unix milliseconds of the service. */
  #last: Readonly<{ size: number; root: string; ts: number; note: string }> | undefined;

  constructor(options: BookProofOptions, subscription: ProvenSubscription) {
    this.#options = options;
    this.#subscription = subscription;
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

  #forgetViews(): void {
    this.#views = [];
    this.#wanted = undefined;
    this.#proven = -1;
  }

  #planProof(): void {
    this.#options.clock.after(PROOF_MS, () => {
      if (!this.#subscription.isOpen) return;
      this.#proveNewest().then(
        () => this.#planProof(),
        (error: unknown) => this.#reportFailure(String(error), {}),
      );
    });
  }

  async #proveNewest(): Promise<void> {
    const { clock, key } = this.#options;
    // While the connection is lost, no proof is withheld.
    if (!this.#subscription.view?.isFollowing) {
      if (this.#wanted !== undefined) this.#wanted.sinceMs += PROOF_MS;
      return;
    }
    this.#wantNewest();
    const nowMs = clock.monotonicMs();
    const { seq, sinceMs = nowMs } = this.#wanted ?? {};
    if (seq === undefined && this.#views.length === 0) return;
    // A book that did not change is compared with the newest leaf: its frames may be withheld.
    const proof = await this.#readProof(seq);
    const entry = proof === null ? null : await this.#verify(proof, key);
    if (entry === undefined) return;
    const view = entry === null || entry.seq < (seq ?? 0) ? undefined : await this.#viewAt(entry);
    if (proof !== null && entry !== null && view !== undefined) {
      await this.#compareBook(view, { entry, proof });
    } else if (nowMs - sinceMs >= PROOF_MS_MAX) {
      this.#reportFailure(`no leaf has seq ${seq} within 15 s`, {});
    }
  }

  /** Returns the book at an entry, once its frames have come. */
  async #viewAt({ seq, epoch }: ProvenEntry): Promise<BookView<Best> | undefined> {
    await this.#untilFrames(seq);
    return this.#views.filter((view) => view.seq <= seq && view.epoch === epoch).at(-1);
  }

  /** Returns the entry of a proof; undefined after a failure. */
  async #verify(proof: MarketProof, key: string): Promise<ProvenEntry | undefined> {
    try {
      const entry = await verifyProof(proof, key);
      return this.#isOfLog(entry, proof) ? entry : undefined;
    } catch (error) {
      const { code, message } = error as ProofFault;
      if (code === 'INVALID_KEY') this.#failWith(code, message);
      else this.#reportFailure(message, { proof });
      return undefined;
    }
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
    const { topic } = this.#options;
    const signed = topic.channel === 'l3' ? entry.l3 : entry.book;
    if ((await hashOfBook(view)) !== signed) {
      const message = `the book at seq ${view.seq} is not the signed one of seq ${entry.seq}`;
      const { bids, asks, epoch, seq } = view;
      this.#reportFailure(message, { proof, epoch, seq, bids, asks });
      return;
    }
    const { marketType, marketIndex, seq, slot, ts, size } = entry;
    this.#proven = seq;
    this.#wanted = undefined;
    this.#wantNewest();
    this.#views = this.#views.filter((one) => one.seq >= view.seq);
    this.#subscription.proven = { marketType, marketIndex, seq, slot, ts, size };
  }

  /** Whether a checkpoint may be of the log that was seen before. A slower edge has an older one. */
  #isOfLog({ size, root, ts }: ProvenEntry, proof: MarketProof): boolean {
    const last = this.#last ?? { size: 0, root: '', ts, note: '' };
    const isOther = size === last.size && root !== last.root;
    if (isOther || (size < last.size && ts > last.ts + BEHIND_MS_MAX)) {
      const story = isOther ? 'of another root' : 'with a later book';
      const message = `the log had ${last.size} leaves, and then ${size} ${story}`;
      this.#reportFailure(message, { proof, before: last.note });
      return false;
    }
    // A checkpoint is as new as the books that have come, though the entry that was asked for is older.
    const newestTs = Math.max(ts, this.#views.at(-1)?.ts ?? 0);
    if (size >= last.size) this.#last = { size, root, ts: newestTs, note: proof.checkpoint };
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

  /** Returns the proof of a sequence number, or the newest; null while the service has none, or does not answer. */
  async #readProof(seq: number | undefined): Promise<MarketProof | null> {
    const { url, topic, clock, fetch: given = fetch } = this.#options;
    const ending = new AbortController();
    const cancel = clock.after(ANSWER_MS_MAX, () => ending.abort());
    try {
      const at = seq === undefined ? '' : `&seq=${seq}`;
      const path = `/proof?marketName=${encodeURIComponent(topic.market)}${at}`;
      const init = { signal: ending.signal, headers: {}, cache: 'no-store' } as const;
      const reply = await given(`${url.replace(/\/+$/, '')}${path}`, init);
      return reply.ok ? ((await reply.json()) as MarketProof) : null;
    } catch {
      return null;
    } finally {
      cancel();
    }
  }

  #reportFailure(reason: string, evidence: object): void {
    const { key, topic } = this.#options;
    const content = evidenceOf({ reason, key, ...topic, ...evidence });
    this.#failWith('PROOF_FAILED', reason, { evidence: content });
  }

  #failWith(...error: ConstructorParameters<typeof ClientError>): void {
    if (this.#subscription.isOpen)
      this.#subscription.failWith(new this.#options.ClientError(...error));
  }
}

/** Names the options with which no leaf has a book. */
function unprovable({ topic, url }: BookProofOptions): readonly string[] {
  const { channel, depth, ...others } = { depth: 50, ...topic };
  const names = Object.entries(others).flatMap(([name, value]) =>
    name === 'market' || value === undefined || value === false ? [] : [name],
  );
  if (channel === 'bbo' || depth !== 500) names.push(channel === 'bbo' ? 'bbo' : `depth ${depth}`);
  return url.startsWith('http') ? names : [...names, 'the address of a socket'];
}
