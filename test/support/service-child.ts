import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { UNTIL_RUNNER_ENDS, until } from './until.js';

/** The compiled command line, which the set-up of `npm test` has just made. */
const cli = fileURLToPath(new URL('../../dist/src/app/cli.js', import.meta.url));
/**
 * A small nursery, in megabytes: garbage in a large one changes the memory by some 30 MB, which
 * would hide leaks.
 */
const NURSERY = '--max-semi-space-size=2';
/** A busy machine is no reason to call a book late. */
const PATIENT = ['--lagging-after-ms', '60000', '--stale-after-ms', '120000'] as const;
const MEGABYTE = 1024 * 1024;

/** The system's statistics of a process. */
export interface ProcessStats {
  readonly rssMegabytes: number;
  readonly descriptors: number;
}

/** The addresses of a node. */
interface NodeUrls {
  readonly rpcUrl: string;
  readonly wsUrl: string;
}

function nodeFlags({ rpcUrl, wsUrl }: NodeUrls): string[] {
  return ['--rpc-url', rpcUrl, '--ws-url', wsUrl];
}

/** The service as a child process: detects its exit, and reads its memory and open files from the system. */
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
  static start(urls: NodeUrls, flags: readonly string[] = []): Promise<ServiceChild> {
    const cluster = nodeFlags(urls);
    // With a history only where a test says where.
    const hasPlace = flags.includes('--data-dir') || flags.includes('--history-url');
    if (!hasPlace) cluster.push('--no-history');
    return ServiceChild.#run(['serve', ...cluster, ...PATIENT, ...flags]);
  }

  /** Starts `core` for a chain and waits until its book is live. */
  static core(urls: NodeUrls, flags: readonly string[]): Promise<ServiceChild> {
    return ServiceChild.#run(['core', ...nodeFlags(urls), ...PATIENT, ...flags]);
  }

  /** Starts `core` while another core writes the log, and waits until it is a standby. */
  static async standby(urls: NodeUrls, flags: readonly string[]): Promise<ServiceChild> {
    const service = ServiceChild.#spawn(['core', ...nodeFlags(urls), ...PATIENT, ...flags]);
    return service.#onceStarted(async () => {
      if (!service.isAlive) throw new Error(`the service ended early: ${service.stderr}`);
      return service.url !== '' && (await service.get('/status')).text.includes('"standby"');
    });
  }

  /** Starts `core` and waits until it writes the log with a live book, or is a standby. */
  static async eitherCore(urls: NodeUrls, flags: readonly string[]): Promise<ServiceChild> {
    const service = ServiceChild.#spawn(['core', ...nodeFlags(urls), ...PATIENT, ...flags]);
    await until('a core that is ready or stands by', async () => {
      if (!service.isAlive) throw new Error(`the service ended early: ${service.stderr}`);
      if (service.url === '') return false;
      if ((await service.get('/ready')).status === 200) return true;
      return (await service.get('/status')).text.includes('"standby"');
    });
    return service;
  }

  /** Starts `edge` and waits until its book is live. */
  static edge(flags: readonly string[]): Promise<ServiceChild> {
    return ServiceChild.#run(['edge', ...PATIENT, ...flags]);
  }

  /** Starts `replay` of a journal and waits until its book is live. */
  static replay(folder: string, flags: readonly string[] = []): Promise<ServiceChild> {
    return ServiceChild.#run(['replay', folder, ...flags]);
  }

  /** Starts `demo` with a chain of its own and waits until its book is live. */
  static demo(flags: readonly string[] = []): Promise<ServiceChild> {
    return ServiceChild.#run(['demo', ...PATIENT, ...flags]);
  }

  static async #run(command: readonly string[]): Promise<ServiceChild> {
    const service = ServiceChild.#spawn(command);
    return service.#onceStarted(() => {
      if (!service.isAlive) throw new Error(`the service ended early: ${service.stderr}`);
      return service.#isReady;
    });
  }

  /** Resolves with this service when it has started; one that does not is ended. */
  async #onceStarted(hasStarted: () => boolean | Promise<boolean>): Promise<ServiceChild> {
    try {
      await until('a service that has started', hasStarted, UNTIL_RUNNER_ENDS);
      return this;
    } catch (error) {
      await this.kill();
      throw error;
    }
  }

  static #spawn(command: readonly string[]): ServiceChild {
    const port = command.includes('--port') ? [] : ['--port', '0'];
    const args = [NURSERY, cli, ...command, ...port, '--log-level', 'warn'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    return new ServiceChild(child);
  }

  /** Whether the book is live. */
  get #isReady(): boolean {
    return /^ready http:/m.test(this.#stdout);
  }

  /** Empty until the port is bound. */
  get url(): string {
    return /(http:\S+)\/status/.exec(this.#stdout)?.[1] ?? '';
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
  readStats(): ProcessStats {
    const folder = `/proc/${this.child.pid}`;
    const pages = Number(readFileSync(`${folder}/statm`, 'latin1').split(' ')[1]);
    return {
      rssMegabytes: (pages * 4_096) / MEGABYTE,
      descriptors: readdirSync(`${folder}/fd`).length,
    };
  }

  /** Requests a path on a connection that is closed immediately, so that open files can be counted. */
  async get(path: string): Promise<{ readonly status: number; readonly text: string }> {
    const asked = get(`${this.url}${path}`, { agent: false });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, text: await text(answer) };
  }

  /** Ends it as a power cut ends it: nothing is closed and nothing flushed. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    if (this.isAlive) await once(this.child, 'exit');
  }

  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    if (this.isAlive) await once(this.child, 'exit');
    return this.child.exitCode;
  }
}
