/** The clients of requests and sockets behind a proxy; no visitor can impersonate another. */
import { afterEach, expect, test } from 'vitest';
import { proxyHeader } from '../../../test/support/proxy-header.js';
import { RawSocket, UPGRADE_HEAD } from '../../../test/support/raw-socket.js';
import { until } from '../../../test/support/until.js';
import { systemTimers } from '../../rpc/timers.js';
import { ClientAddresses } from '../admission/client-addresses.js';
import type { SocketHandlers, SocketSession } from './client-socket.js';
import { type Listener, listen } from './uws.js';

const [FIRST, SECOND] = ['203.0.113.1', '203.0.113.2'] as const;
const PEER = '127.0.0.1';
const REQUEST_HEAD = 'GET / HTTP/1.1\r\nHost: a\r\n';
const session: SocketSession = {
  onMessage: () => {},
  onPing: () => {},
  onDrain: () => {},
  onDropped: () => {},
  onClose: () => {},
};

let listener: Listener;
/** The addresses of requests, upgrades and sockets. */
let clients: string[];
const opened: RawSocket[] = [];

async function start(trustedProxies: readonly string[]): Promise<void> {
  const addresses = new ClientAddresses(trustedProxies);
  clients = [];
  const note = ({ ip }: { readonly ip: string }): void => void clients.push(ip);
  const sockets: SocketHandlers = {
    paths: ['/ws'],
    checkUpgrade: (request) => {
      note(request);
      return null;
    },
    openSession: (socket) => {
      note(socket);
      return session;
    },
  };
  listener = await listen({
    timers: systemTimers,
    ...{ host: PEER, port: 0, findClient: (origin) => addresses.findClient(origin) },
    handler: (request) => {
      note(request);
      return { status: 204, headers: [], body: null };
    },
    sockets: [sockets],
    onFault: (error) => {
      throw error;
    },
  });
}

afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
  listener.close();
});

async function connect(...bytes: readonly (string | Uint8Array)[]): Promise<RawSocket> {
  const socket = await RawSocket.connect(listener.port);
  opened.push(socket);
  socket.write(Buffer.concat(bytes.map((one) => Buffer.from(one))));
  return socket;
}

interface Way {
  /** Before the request. */
  readonly proxied?: string;
  /** The lines of X-Forwarded-For. */
  readonly forwarded?: readonly string[];
}

/** The clients of a request and an upgrade over this way. */
async function clientsOf({ proxied, forwarded = [] }: Way): Promise<readonly string[]> {
  const before = proxied === undefined ? '' : proxyHeader(proxied);
  const lines = forwarded.map((line) => `X-Forwarded-For: ${line}\r\n`).join('');
  for (const head of [REQUEST_HEAD, UPGRADE_HEAD]) {
    const socket = await connect(before, `${head}${lines}\r\n`);
    await until(() => /^HTTP\/1\.1 (204|101) /.test(socket.head));
  }
  return clients;
}

test.each<[string, Way, string]>([
  ['the header names', { forwarded: [`${FIRST}:5000`] }, FIRST],
  ['the proxy has written behind a lie', { forwarded: [`198.51.100.1, ${FIRST}`] }, FIRST],
  ['the proxy has written below a lie', { forwarded: ['198.51.100.1', FIRST] }, FIRST],
  [
    'the proxy has written into a full header',
    { forwarded: [`${'198.51.100.1, '.repeat(1_100)}${FIRST}`] },
    FIRST,
  ],
  ['connects, where nobody is named', {}, PEER],
  ['the PROXY protocol names', { proxied: FIRST }, FIRST],
])('behind a trusted proxy the client is who %s', async (_, way, ip) => {
  await start([PEER]);
  expect(await clientsOf(way)).toEqual([ip, ip, ip]);
});

test.each<[string, readonly string[], Way]>([
  ['the header', ['10.0.0.0/8'], { forwarded: [FIRST] }],
  ['the PROXY protocol', ['10.0.0.0/8'], { proxied: FIRST }],
  ['the name of a proxy', ['10.0.0.0/8'], { proxied: '10.0.0.1', forwarded: [FIRST] }],
  ['anything, while no proxy is trusted', [], { proxied: FIRST, forwarded: [SECOND] }],
])('of somebody else is not believed %s', async (_, trustedProxies, way) => {
  await start(trustedProxies);
  expect(await clientsOf(way)).toEqual([PEER, PEER, PEER]);
});

// The statement of docs/proxies.md about the transport, and its reason to prefer the other
// header.
test('the PROXY protocol must come in one packet with the request after it', async () => {
  await start([PEER]);
  const socket = await connect(proxyHeader(FIRST));
  await until(() => socket.head !== '');
  expect(socket.head).toMatch(/^HTTP\/1\.1 505/);
});

test('the PROXY protocol is read again before every later request of a connection', async () => {
  await start([PEER]);
  const request = `${REQUEST_HEAD}\r\n`;
  await connect(proxyHeader(FIRST), request, proxyHeader(SECOND), request);
  await until(() => clients.length === 2);
  expect(clients).toEqual([FIRST, SECOND]);
});
