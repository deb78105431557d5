import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { until } from '../../../test/support/until.js';
import type { SocketClass } from '../environment.js';
import { ProgramAccounts, wsUrlOf } from './program-accounts.js';

const ADDRESS = 'HbdPrdbKzngYbNoqZ4j113xGB2HLwG55r8u16LNoB8ma';

/** Several nodes behind one address: the HTTP nodes are at another slot than the notifying one. */
class Balanced {
  readonly #http: Server;
  readonly #sockets: WebSocketServer;
  #socket: WebSocket | undefined;
  /** The state of an HTTP node, and its slot. */
  node = { slot: 10, value: 1 };
  refusals = 0;
  readonly asked: string[] = [];

  constructor() {
    this.#http = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => {
        body += part.toString();
      });
      request.on('end', () => response.end(JSON.stringify(this.#answer(JSON.parse(body)))));
    });
    this.#sockets = new WebSocketServer({ server: this.#http });
    this.#sockets.on('connection', (socket) => {
      this.#socket = socket;
      socket.on('message', (data) => {
        const { id } = JSON.parse(String(data));
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: id + 100 }));
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  notify(value: number, slot: number): void {
    const account = { pubkey: ADDRESS, account: { data: data(value) } };
    const params = { result: { context: { slot }, value: account }, subscription: 102 };
    this.#socket?.send(JSON.stringify({ method: 'programNotification', params }));
  }

  stop(): void {
    this.#sockets.close();
    this.#http.close();
    this.#http.closeAllConnections();
  }

  #answer({
    id,
    method,
    params,
  }: {
    id: number;
    method: string;
    params: [unknown, { minContextSlot?: number }];
  }) {
    this.asked.push(method);
    const { slot, value } = this.node;
    if ((params[1].minContextSlot ?? 0) > slot) {
      this.refusals += 1;
      const error = { code: -32_016, message: 'Minimum context slot has not been reached' };
      return { jsonrpc: '2.0', id, error };
    }
    const account = { data: data(value) };
    const result =
      method === 'getProgramAccounts' ? [{ pubkey: ADDRESS, account }] : { value: [account] };
    return { jsonrpc: '2.0', id, result };
  }
}

const data = (value: number) => [Buffer.from([value]).toString('base64'), 'base64'];

let nodes: Balanced | undefined;
let accounts: ProgramAccounts | undefined;

afterEach(() => {
  accounts?.close();
  nodes?.stop();
});

describe('the accounts of a program', () => {
  test('are never set back by a node that is behind', async () => {
    nodes = new Balanced();
    const host = await nodes.start();
    const told: number[] = [];
    let synced = 0;
    accounts = new ProgramAccounts(
      {
        ...{ rpcUrl: `http://${host}`, wsUrl: `ws://${host}`, programId: ADDRESS, resyncMs: 100 },
        ...{ watched: [[]], read: [[]], WebSocket: WebSocket as unknown as SocketClass },
      },
      {
        account: (_, bytes) => void told.push(bytes?.[0] ?? 0),
        synced: () => {
          synced += 1;
        },
        lost: () => {},
        failed: () => {},
      },
    );
    accounts.open();
    await until(() => synced >= 1);
    nodes.notify(2, 12);
    await until(() => told.at(-1) === 2);
    // The next readings find a node at slot 10, which still has the account as it was.
    const behind = nodes;
    await until(() => behind.refusals > 0);
    expect(told).toEqual([1, 2]);
    behind.node = { slot: 13, value: 3 };
    await until(() => told.at(-1) === 3);
    expect(told.filter((value) => value === 1)).toHaveLength(1);
  });
});

test.each([
  ['http://127.0.0.1:8899', 'ws://127.0.0.1:8900'],
  ['https://node.example/KEY?a=b', 'wss://node.example/KEY?a=b'],
  ['https://node.example:8443/KEY', 'wss://node.example:8444/KEY'],
  ['http://[::1]:8899', 'ws://[::1]:8900'],
])('a node that answers at %s notifies at %s', (rpcUrl, wsUrl) => {
  expect(wsUrlOf(rpcUrl)).toBe(wsUrl);
});

test('what is no address of a node is refused', () => {
  expect(() => wsUrlOf('ws://127.0.0.1:8900')).toThrow('must begin with http');
});
