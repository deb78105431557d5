/** Visitors of a service through a proxy. */
import { get } from 'node:https';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'vitest';
import {
  type ConfigChange,
  HOST,
  type ProxyKind,
  ProxyProcess,
  proxyMissing,
} from './proxy-process.js';
import { Probe } from './socket-scene.js';

let addresses = 1;

/** An address of this machine from which no visitor has come yet. */
export function newAddress(): string {
  addresses += 1;
  return `127.0.0.${addresses}`;
}

/** A visitor of a proxy, with an address and with its own values in the header. */
export class Visitor {
  constructor(
    private readonly proxy: ProxyProcess,
    private readonly localAddress: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  get #options() {
    const { certificate: ca } = this.proxy;
    const headers = { Host: HOST, ...this.headers };
    return { ca, headers, servername: HOST, localAddress: this.localAddress };
  }

  async get(path: string): Promise<{ readonly status: number; readonly body: string }> {
    const address = `https://127.0.0.1:${this.proxy.port}${path}`;
    return new Promise((resolve, reject) => {
      const asked = get(address, { ...this.#options, agent: false }, (answer) => {
        const { statusCode: status = 0 } = answer;
        text(answer).then((body) => resolve({ status, body }), reject);
      });
      asked.once('error', reject);
    });
  }

  open(path = '/ws'): Promise<Probe> {
    return Probe.open(`wss://127.0.0.1:${this.proxy.port}${path}`, this.#options);
  }
}

/** Starts a proxy for a test, or skips the test where it is not installed. */
export async function withProxy(
  context: TestContext,
  kind: ProxyKind,
  run: (proxy: ProxyProcess) => Promise<void>,
  { port, change }: { readonly port: number; readonly change?: ConfigChange },
): Promise<void> {
  const missing = proxyMissing(kind);
  if (missing !== undefined) context.skip(missing);
  const proxy = await ProxyProcess.start(kind, port, change);
  try {
    await run(proxy);
  } finally {
    await proxy.stop();
  }
}
