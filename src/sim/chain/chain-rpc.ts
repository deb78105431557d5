import { Agent, request } from 'node:http';
import { SimError } from '../sim-error.js';

/** JSON-RPC calls to a local chain over keep-alive connections. */
export class ChainRpc {
  readonly #url: URL;
  readonly #agent: Agent;

  constructor(rpcUrl: string, { connections }: { readonly connections: number }) {
    this.#url = new URL(rpcUrl);
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Makes a call; resolves with the unparsed response, which may contain an error. */
  async postCall(method: string, params: readonly unknown[]): Promise<string> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return await new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      };
      const outgoing = request(
        this.#url,
        { method: 'POST', agent: this.#agent, headers },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (part: string) => {
            text += part;
          });
          answer.on('end', () => resolve(text));
          answer.on('error', reject);
        },
      );
      outgoing.on('error', (cause) => {
        const message = `the chain at ${this.#url.host} did not take ${method}: ${cause.message}`;
        reject(new SimError('ACCOUNT_WRITE_FAILED', message, { cause }));
      });
      outgoing.end(body);
    });
  }

  /** Makes a call; resolves with its result. Rejects with the chain's error. */
  async call<T>(method: string, params: readonly unknown[]): Promise<T> {
    const answer = JSON.parse(await this.postCall(method, params)) as {
      readonly result?: T;
      readonly error?: { readonly message: string };
    };
    if (answer.error === undefined) return answer.result as T;
    const message = `the chain refused ${method}: ${answer.error.message}`;
    throw new SimError('CALL_REFUSED', message, { method });
  }

  /** Closes the connections; calls in flight fail. */
  close(): void {
    this.#agent.destroy();
  }
}
