import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makerKey } from '../support/maker-client.js';
import { ClientProcess } from './client-process.js';
import type { ScriptedClient } from './scripted-clients.js';

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A client from a registry: what is there once it is installed, the byte of its maker's key, and how it starts. */
interface RealClient {
  readonly file: string;
  readonly seed: number;
  start(url: string, seed: string): ScriptedClient;
}

const REAL_CLIENTS: Readonly<Record<string, RealClient>> = {
  sdk: {
    file: 'installed/node_modules/.package-lock.json',
    seed: 41,
    start: (url, seed) =>
      new ClientProcess(
        [process.execPath, pathOf('installed/sdk-client.mjs'), url, seed],
        ['quotes', 'fees'],
      ),
  },
  ccxt: {
    file: '../../examples/ccxt/node_modules/.package-lock.json',
    seed: 43,
    start: (url) => {
      const command = [process.execPath, pathOf('../../examples/ccxt/watch.mjs')] as const;
      return new ClientProcess([...command, url], ['live'], (line) => JSON.parse(line).state);
    },
  },
  driftpy: {
    file: 'installed/.venv/bin/python',
    seed: 42,
    start: (url, seed) => {
      const command = [
        pathOf('installed/.venv/bin/python'),
        '-B',
        pathOf('installed/driftpy_client.py'),
      ] as const;
      return new ClientProcess([...command, url, seed], ['l2', 'l3', 'quotes']);
    },
  },
};

/** Clients from the registries, which the set-up of `npm test` and of the long form has installed. */
export class RealClients {
  /** Those that are not installed. */
  readonly absent: readonly string[];
  readonly #installed: readonly string[];

  constructor(names: readonly string[]) {
    this.#installed = names.filter((name) => existsSync(pathOf(find(name).file)));
    this.absent = names.filter((name) => !this.#installed.includes(name));
  }

  /** The keys that the service must let quote, as `--quote-makers` takes them. */
  get makers(): string {
    const keys = this.#installed.map((name) => makerKey(find(name).seed).publicKey.toBase58());
    return keys.join(',');
  }

  /** Starts each of them for a service that need not be there yet. */
  start(url: string): Record<string, ScriptedClient> {
    const started = this.#installed.map((name) => {
      const client = find(name);
      return [name, client.start(url, String(client.seed))] as const;
    });
    return Object.fromEntries(started);
  }
}

function find(name: string): RealClient {
  const client = REAL_CLIENTS[name];
  if (client === undefined) throw new Error(`there is no client ${name}`);
  return client;
}
