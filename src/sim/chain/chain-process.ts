import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SimError } from '../sim-error.js';

/** The packages that hold Surfpool's binary, by platform and architecture. */
const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@solana/surfpool-linux-x64-gnu',
  'darwin-arm64': '@solana/surfpool-darwin-arm64',
};
/** Time limit from the fork until the chain is ready; an idle machine takes about 0.15 s. */
const START_MS_MAX = 30_000;
/** Time for an orderly exit before a kill. */
const STOP_MS_MAX = 10_000;
/** Maximum characters of the child's standard error in the error of a failed start. */
const STDERR_CHARS_MAX = 4_000;

/** The chain's clock, as the chain announces it at the start of each slot. */
export interface AnnouncedClock {
  readonly slot: number;
  readonly unixSeconds: number;
}

/** The chain's exit code or signal. */
export interface ChainExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Length of a slot in milliseconds; mainnet's target is 400. */
export interface LocalChainOptions {
  readonly slotTimeMs?: number;
}

type ChildMessage =
  | { readonly kind: 'ready'; readonly rpcUrl: string; readonly wsUrl: string }
  | { readonly kind: 'slot'; readonly slot: number; readonly unixSeconds: number }
  | {
      readonly kind: 'failed';
      readonly code: 'CHAIN_BINARY_NOT_FOUND' | 'CHAIN_START_FAILED';
      readonly message: string;
    };

/**
 * A real Solana RPC and pubsub server (Surfpool, offline) in a child process, on free loopback
 * ports. Slots start at 31 and the genesis hash differs with every start, so a restarted chain is a
 * different chain.
 */
export class LocalChain {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  /** Settles when the process has ended. */
  readonly exited: Promise<ChainExit>;
  readonly #child: ChildProcess;
  readonly #listeners = new Set<(clock: AnnouncedClock) => void>();
  readonly #killOnExit: () => void;
  #clock: AnnouncedClock | undefined;
  #ended = false;

  private constructor(
    child: ChildProcess,
    urls: { readonly rpcUrl: string; readonly wsUrl: string },
  ) {
    this.#child = child;
    this.rpcUrl = urls.rpcUrl;
    this.wsUrl = urls.wsUrl;
    // A paused child cannot detect that its parent has exited, so an orderly exit of the parent
    // kills it.
    this.#killOnExit = () => child.kill('SIGKILL');
    process.once('exit', this.#killOnExit);
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#ended = true;
        process.off('exit', this.#killOnExit);
        resolve({ code, signal });
      });
    });
    child.on('message', (message) => this.#onMessage(message as ChildMessage));
  }

  /** Starts a chain and waits until it replies. Rejects with a SimError that contains advice. */
  static async start({ slotTimeMs = 400 }: LocalChainOptions = {}): Promise<LocalChain> {
    const child = fork(childFile(), [packageName(), startConfig(slotTimeMs)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
    });
    const urls = await firstMessage(child).catch((error: unknown) => {
      child.kill('SIGKILL');
      throw error;
    });
    return new LocalChain(child, urls);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The last announced clock; undefined before the first new slot. */
  get clock(): AnnouncedClock | undefined {
    return this.#clock;
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  /**
   * Registers a listener that is called at each new slot, before subscribers are notified. Returns
   * its unsubscribe function.
   */
  onSlot(listener: (clock: AnnouncedClock) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Freezes the chain: sockets stay open and do not reply until `resume`. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  /** Lets a paused chain go on. */
  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Kills the chain; its clients see broken sockets. */
  async kill(): Promise<ChainExit> {
    this.#child.kill('SIGKILL');
    return await this.exited;
  }

  /** Stops the chain; kills it when it does not exit in time. */
  async stop(): Promise<ChainExit> {
    if (this.#ended) return await this.exited;
    this.resume();
    if (this.#child.connected) this.#child.send('stop', () => {});
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS_MAX);
    const exit = await this.exited;
    clearTimeout(timer);
    return exit;
  }

  #onMessage(message: ChildMessage): void {
    if (message.kind !== 'slot') return;
    this.#clock = { slot: message.slot, unixSeconds: message.unixSeconds };
    for (const listener of this.#listeners) listener(this.#clock);
  }
}

function startConfig(slotTimeMs: number): string {
  if (!Number.isInteger(slotTimeMs) || slotTimeMs < 1) {
    throw new SimError(
      'INVALID_OPTION',
      `slotTimeMs was ${slotTimeMs}, must be a positive integer`,
    );
  }
  return JSON.stringify({ offline: true, blockProductionMode: 'clock', slotTimeMs });
}

function packageName(): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  if (name !== undefined) return name;
  throw startError('CHAIN_BINARY_NOT_FOUND', `there is no Surfpool binary for ${platform}`);
}

/**
 * Returns the child's file, which is plain JavaScript that is not compiled, so compiled code loads
 * it from the sources.
 */
function childFile(): string {
  const beside = fileURLToPath(new URL('./surfpool-child.cjs', import.meta.url));
  if (existsSync(beside)) return beside;
  return fileURLToPath(new URL('../../../../src/sim/chain/surfpool-child.cjs', import.meta.url));
}

async function firstMessage(child: ChildProcess): Promise<{ rpcUrl: string; wsUrl: string }> {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARS_MAX);
  });
  let timer: NodeJS.Timeout | undefined;
  const message = new Promise<ChildMessage>((resolve, reject) => {
    const refuse = (detail: string) => reject(startError('CHAIN_START_FAILED', detail));
    timer = setTimeout(() => refuse(`it was not ready after ${START_MS_MAX} ms`), START_MS_MAX);
    child.once('error', (cause) => refuse(cause.message));
    child.once('exit', (code, signal) => refuse(`it ended with ${code ?? signal}: ${stderr}`));
    child.once('message', (first) => resolve(first as ChildMessage));
  });
  try {
    const first = await message;
    if (first.kind === 'ready') return first;
    if (first.kind === 'failed') throw startError(first.code, first.message);
    throw startError('CHAIN_START_FAILED', 'it announced a slot before it was ready');
  } finally {
    clearTimeout(timer);
  }
}

function startError(
  code: 'CHAIN_BINARY_NOT_FOUND' | 'CHAIN_START_FAILED',
  detail: string,
): SimError {
  return new SimError(
    code,
    `the local chain did not start: ${detail}. To use another chain, name its RPC with --rpc-url URL`,
    { platform: `${process.platform}-${process.arch}` },
  );
}
