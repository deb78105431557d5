/** Limits by address behind a proxy: they count the visitors, and no visitor can pass for another. */
import { afterEach, describe, expect, test } from 'vitest';
import { proxyHeader } from '../../../test/support/proxy-header.js';
import { RawSocket, UPGRADE_HEAD } from '../../../test/support/raw-socket.js';
import { type Probe, SocketScene } from '../../../test/support/socket-scene.js';
import { until } from '../../../test/support/until.js';
import { systemTimers } from '../../rpc/timers.js';
import { ClientAddresses } from '../admission/client-addresses.js';
import { listen } from '../transport/uws.js';

const SOCKETS_PER_IP = 3;
const TOPICS_PER_IP = 5;
const [FIRST, SECOND] = ['203.0.113.1', '203.0.113.2'] as const;

let scene: SocketScene;
const raw: RawSocket[] = [];

async function start(
  trustedProxies: readonly string[],
  { socketsPerIp = SOCKETS_PER_IP } = {},
): Promise<void> {
  const addresses = new ClientAddresses(trustedProxies);
  const limits = { socketsPerIp, topicsPerIp: TOPICS_PER_IP };
  scene = await SocketScene.start({ addresses, ...limits });
}

afterEach(async () => {
  for (const socket of raw.splice(0)) socket.destroy();
  await scene?.stop();
});

/** Opens sockets until one is refused; returns how many were open, and the refusal. */
async function openAll(open: () => Promise<unknown>): Promise<number> {
  for (let count = 0; count < 20; count += 1) {
    const refusal = await open().then(
      () => null,
      (error: Error) => error.message,
    );
    if (refusal === null) continue;
    expect(refusal).toContain('429');
    return count;
  }
  return 20;
}

const forwardedFor = (client: string) => (): Promise<Probe> =>
  scene.open('/ws', { headers: { 'X-Forwarded-For': client } });

/** Upgrades on a connection that begins with these bytes. */
async function openRaw(...begin: readonly Uint8Array[]): Promise<void> {
  const socket = await RawSocket.connect(scene.listener.port);
  raw.push(socket);
  socket.write(Buffer.concat([...begin, Buffer.from(`${UPGRADE_HEAD}\r\n`)]));
  await until(() => socket.head.includes('\r\n'));
  if (!socket.head.startsWith('HTTP/1.1 101')) throw new Error(socket.head);
}

describe('behind a trusted proxy', () => {
  test('each visitor has sockets of its own', async () => {
    await start(['127.0.0.1']);
    expect(await openAll(forwardedFor(FIRST))).toBe(SOCKETS_PER_IP);
    expect(await openAll(forwardedFor(`${FIRST}:5000`))).toBe(0);
    expect(await openAll(forwardedFor(SECOND))).toBe(SOCKETS_PER_IP);
  });

  test('a visitor that writes addresses into the header itself gains nothing', async () => {
    await start(['127.0.0.1']);
    let spoofed = 0;
    const open = () => {
      spoofed += 1;
      return forwardedFor(`198.51.100.${spoofed}, ${FIRST}`)();
    };
    expect(await openAll(open)).toBe(SOCKETS_PER_IP);
    expect(await openAll(forwardedFor(SECOND))).toBe(SOCKETS_PER_IP);
  });

  test('nor does one whose proxy adds a line of its own below', async () => {
    await start(['127.0.0.1']);
    let spoofed = 0;
    const open = () => {
      spoofed += 1;
      const lines = [`198.51.100.${spoofed}`, FIRST];
      return scene.open('/ws', { headers: { 'X-Forwarded-For': lines as unknown as string } });
    };
    expect(await openAll(open)).toBe(SOCKETS_PER_IP);
  });

  test('nor does one that fills the header', async () => {
    await start(['127.0.0.1']);
    const filled = `${'198.51.100.1, '.repeat(1_100)}${FIRST}`;
    expect(await openAll(forwardedFor(filled))).toBe(SOCKETS_PER_IP);
    const beyond = forwardedFor('198.51.100.1, '.repeat(1_300));
    await expect(beyond()).rejects.toThrow('413');
  });

  test('a limit of 0 is none', async () => {
    await start(['127.0.0.1'], { socketsPerIp: 0 });
    expect(await openAll(forwardedFor(FIRST))).toBe(20);
  });

  test('one visitor cannot take the topics of the others', async () => {
    await start(['127.0.0.1']);
    const topic = { type: 'subscribe', channel: 'book', market: 'SOL-PERP' };
    const [greedy, other] = [await forwardedFor(FIRST)(), await forwardedFor(SECOND)()];
    // Where nothing changes for a second the topics of before say so.
    const told = (answers: readonly unknown[]) =>
      answers.filter((answer) => (answer as { type?: string }).type !== 'heartbeat');
    const codes: unknown[] = [];
    for (let grouping = 2; grouping < 2 + 2 * TOPICS_PER_IP; grouping += 1) {
      const [answer] = told(await greedy.ask({ ...topic, grouping }));
      codes.push((answer as { code?: string }).code);
    }
    const refused = Array(TOPICS_PER_IP).fill('LIMIT_EXCEEDED');
    expect(codes).toEqual([...Array(TOPICS_PER_IP).fill(undefined), ...refused]);
    expect(told(await other.ask({ ...topic, grouping: 100 }))).toHaveLength(2);
  });

  test('without the header the proxy itself is counted: it may be on this machine', async () => {
    await start(['127.0.0.1']);
    expect(await openAll(() => scene.open())).toBe(SOCKETS_PER_IP);
  });

  test('the PROXY protocol names the visitor', async () => {
    await start(['127.0.0.1']);
    expect(await openAll(() => openRaw(proxyHeader(FIRST)))).toBe(SOCKETS_PER_IP);
    expect(await openAll(() => openRaw(proxyHeader(SECOND)))).toBe(SOCKETS_PER_IP);
  });
});

// What docs/deployment.md says of the transport, and why it prefers the other header.
describe('the PROXY protocol', () => {
  test('must come in one packet with the request behind it', async () => {
    await start(['127.0.0.1']);
    const socket = await RawSocket.connect(scene.listener.port);
    raw.push(socket);
    socket.write(proxyHeader(FIRST));
    await until(() => socket.head !== '');
    expect(socket.head).toMatch(/^HTTP\/1\.1 505/);
  });

  test('is read again before every later request of a connection', async () => {
    const addresses = new ClientAddresses(['127.0.0.1']);
    const clients: string[] = [];
    const listener = await listen({
      timers: systemTimers,
      ...{ host: '127.0.0.1', port: 0, findClient: (origin) => addresses.findClient(origin) },
      handler: ({ ip }) => {
        clients.push(ip);
        return { status: 204, headers: [], body: null };
      },
      onFault: () => undefined,
    });
    const socket = await RawSocket.connect(listener.port);
    raw.push(socket);
    const request = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    socket.write(Buffer.concat([proxyHeader(FIRST), request, proxyHeader(SECOND), request]));
    await until(() => clients.length === 2);
    expect(clients).toEqual([FIRST, SECOND]);
    listener.close();
  });
});

describe('from somebody else', () => {
  test('neither the header nor the PROXY protocol is believed', async () => {
    await start(['10.0.0.0/8']);
    let spoofed = 0;
    const openForwarded = () => {
      spoofed += 1;
      return forwardedFor(`198.51.100.${spoofed}`)();
    };
    const openProxied = () => {
      spoofed += 1;
      return openRaw(proxyHeader(`198.51.100.${spoofed}`));
    };
    const openTrusted = () => openRaw(proxyHeader('10.0.0.1'));
    expect(await openAll(openForwarded)).toBe(SOCKETS_PER_IP);
    expect(await openAll(openProxied)).toBe(0);
    expect(await openAll(openTrusted)).toBe(0);
    await scene.closeProbes();
    await until(() => scene.sockets.readStats().sockets === 0);
    expect(await openAll(openProxied)).toBe(SOCKETS_PER_IP);
  });

  test('loopback has no limit while no proxy is trusted, whatever it says', async () => {
    await start([]);
    expect(await openAll(forwardedFor(FIRST))).toBe(20);
    expect(await openAll(() => openRaw(proxyHeader(SECOND)))).toBe(20);
  });
});
