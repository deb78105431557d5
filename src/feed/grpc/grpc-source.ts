import type { ChainProgram } from '../../contract/program.js';
import type { Timers } from '../../contract/timers.js';
import { type GrpcServer, GrpcStream } from '../../rpc/grpc/grpc-stream.js';
import { encodeRequest, type StreamContent } from '../../rpc/grpc/messages.js';
import type { Log } from '../../rpc/log.js';
import type { FeedSource, SourceCounters, SourceListener } from '../model/feed-source.js';
import { ORACLES_MAX } from '../model/limits.js';
import { CLOCK_KEY } from '../model/queries.js';
import { AccountReader } from './account-reader.js';

/** The server, and dependencies that a test may replace. */
interface GrpcSourceOptions extends GrpcServer, ChainProgram {
  readonly timers: Timers;
  readonly random?: () => number;
  readonly silentMsMax?: number;
  readonly log?: Log;
}

/**
 * A source that receives the program's accounts, its oracles, the Clock and all slots over one
 * stream of a Yellowstone server.
 */
export class GrpcSource implements FeedSource {
  readonly kind = 'grpc';
  readonly #stream: GrpcStream;
  readonly #accounts: AccountReader;
  #listener: SourceListener | null = null;
  #keys: readonly string[] = [];
  #foreign = 0;

  constructor({ programId, program, ...options }: GrpcSourceOptions) {
    this.#accounts = new AccountReader({ programId, program });
    this.#stream = new GrpcStream({
      ...options,
      encodeRequest: (fromSlot) =>
        encodeRequest({ owner: programId, accounts: [CLOCK_KEY, ...this.#keys], fromSlot }),
    });
  }

  get name(): string {
    return this.#stream.name;
  }

  get counters(): SourceCounters {
    return { ...this.#stream.counters, foreign: this.#foreign };
  }

  start(listener: SourceListener): void {
    this.#listener = listener;
    this.#stream.start({ ...listener, onContent: (content) => this.#handleContent(content) });
  }

  stop(): void {
    this.#listener = null;
    this.#stream.stop();
  }

  dropConnection(reason: string): void {
    this.#stream.dropConnection(reason);
  }

  /** Resolves when the server has accepted the request. */
  async followKeys(keys: readonly string[]): Promise<void> {
    this.#keys = keys.slice(0, ORACLES_MAX);
    this.#accounts.followKeys(this.#keys);
    await this.#stream.renewRequest();
  }

  #handleContent(content: StreamContent): void {
    if (content.kind === 'slot') {
      const { slot, parent, status } = content;
      this.#listener?.onSlot({ slot, parent, status });
    } else if (content.kind === 'account') {
      const read = this.#accounts.readAccount(content);
      if (read === 'foreign') this.#foreign += 1;
      else if (read !== null) this.#listener?.onUpdate(read);
    }
  }
}
