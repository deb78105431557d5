import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';

/** The compiled command line, which the set-up of `npm test` has just made. */
const cli = fileURLToPath(new URL('../../dist/src/cli.js', import.meta.url));
/**
 * A small nursery, in megabytes: garbage that waits there would otherwise move the memory of the process by
 * some 30 MB up and down at rest, and hide what grows.
 */
const NURSERY = '--max-semi-space-size=2';
const READY_MS_MAX = 30_000;
const MEGABYTE = 1024 * 1024;

/** What the system says of a process. */
export interface ProcessFigures {
  readonly rssMegabytes: number;
  readonly descriptors: number;
}

/**
 * The service as a process of its own: what ends it is seen, and its memory and its open files are
 * read from the system.
 */
export class ServiceChild {
  #stdout = '';
  #stderr = '';

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk) => {
      this.#stdout += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      this.#stderr += chunk;
    });
  }

  /** Starts `serve` for a chain and waits until its book is live. */
  static async start(
    urls: { readonly rpcUrl: string; readonly wsUrl: string },
    flags: readonly string[] = [],
  ): Promise<ServiceChild> {
    const cluster = ['--rpc-url', urls.rpcUrl, '--ws-url', urls.wsUrl];
    const args = [
      NURSERY,
      cli,
      'serve',
      ...cluster,
      '--port',
      '0',
      '--log-level',
      'warn',
      ...flags,
    ];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const service = new ServiceChild(child);
    await vi.waitUntil(() => service.url !== '' || child.exitCode !== null, {
      timeout: READY_MS_MAX,
      interval: 20,
    });
    if (service.url === '') throw new Error(`the service ended early: ${service.stderr}`);
    return service;
  }

  /** Empty until the book is live. */
  get url(): string {
    return /^ready (http:\S+)$/m.exec(this.#stdout)?.[1] ?? '';
  }

  get socketUrl(): string {
    return `${this.url.replace('http', 'ws')}/ws`;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Its log. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Whether the process runs. */
  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Memory and open files now. */
  figures(): ProcessFigures {
    const folder = `/proc/${this.child.pid}`;
    const pages = Number(readFileSync(`${folder}/statm`, 'latin1').split(' ')[1]);
    return {
      rssMegabytes: (pages * 4_096) / MEGABYTE,
      descriptors: readdirSync(`${folder}/fd`).length,
    };
  }

  /** Asks on a connection that is closed at once, so that open files can be counted. */
  async get(path: string): Promise<{ readonly status: number; readonly text: string }> {
    const asked = get(`${this.url}${path}`, { agent: false });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, text: await text(answer) };
  }

  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    if (this.isAlive) await once(this.child, 'exit');
    return this.child.exitCode;
  }
}
