/** Servers that repeat every secret which they are sent: nothing of it, and no word of theirs, comes out of the service. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { freePort } from '../../src/app/loopback-ports.js';
import { ScriptedGrpc } from '../scripted-grpc.js';
import { until } from '../support/until.js';

const cli = fileURLToPath(new URL('../../dist/src/app/cli.js', import.meta.url));
/** What each server says beside the secrets. */
const WORD = 'tell-tale';
const PATHS = ['/ready', '/status', '/health', '/metrics', '/l2?marketName=SOL-PERP', '/trades'];

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A node that refuses all, and repeats the address and the user of the request as they came and decoded. */
function startNode(upgrades: 'refused' | 'taken' = 'refused'): Promise<string> {
  const textOf = ({ url = '', headers: { authorization = '' } }: IncomingMessage): string => {
    const user = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
    return `${WORD} ${url} ${decodeURIComponent(url)} ${authorization} ${user}`;
  };
  const server = createHttpServer((request, response) => {
    response.writeHead(403).end(textOf(request));
  });
  if (upgrades === 'taken') refuseSubscriptions(new WebSocketServer({ server }), textOf);
  else
    server.on('upgrade', (request, socket) => {
      socket.on('error', () => undefined);
      socket.end(`HTTP/1.1 401 ${WORD}\r\nx-said: ${encodeURIComponent(textOf(request))}\r\n\r\n`);
    });
  return listening(server);
}

/** Refuses whatever is asked, with the address of the socket. */
function refuseSubscriptions(
  server: WebSocketServer,
  textOf: (request: IncomingMessage) => string,
): void {
  server.on('connection', (socket, request) => {
    socket.on('message', (data) => {
      const { id } = JSON.parse(String(data)) as { id: number };
      const error = { code: -32_601, message: textOf(request) };
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, error }));
    });
  });
}

/** NATS that lets nobody in, and repeats all that was sent. */
function startNats(): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(
      'INFO {"server_id":"X","version":"2.10.0","proto":1,"headers":true,"max_payload":1048576}\r\n',
    );
    socket.on('data', (bytes) => {
      const sent = /CONNECT (.*)\r\n/.exec(bytes.toString())?.[1] ?? '';
      socket.end(`-ERR 'Authorization Violation ${WORD} ${sent}'\r\n`);
    });
  });
  return listening(server);
}

/** Postgres that asks for a password in the clear, and does not take it. */
function startPostgres(): Promise<string> {
  const frame = (kind: string, body: Buffer): Buffer => {
    const head = Buffer.alloc(5);
    head.write(kind);
    head.writeUInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const answer = (socket: Socket, bytes: Buffer): void => {
    if (bytes[0] !== 'p'.charCodeAt(0)) {
      socket.write(frame('R', Buffer.from([0, 0, 0, 3])));
      return;
    }
    const text = `${WORD} wrong password: ${bytes.subarray(5, -1).toString()}`;
    socket.end(frame('E', Buffer.from(`SFATAL\0C28P01\0M${text}\0\0`)));
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => answer(socket, bytes));
  });
  return listening(server);
}

/** A service, and all that it writes. */
class Running {
  output = '';
  stderr = '';
  readonly #child: ChildProcess;

  constructor(command: string, env: Readonly<Record<string, string>>) {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const args = [cli, command, '--port', '0'];
    this.#child = spawn(process.execPath, args, { stdio: [...stdio], env });
    this.#child.stdout?.on('data', (chunk) => {
      this.output += chunk;
    });
    this.#child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
    ends.push(() => this.#child.kill('SIGKILL'));
  }

  /** Resolves with its status. */
  async ended(): Promise<number | null> {
    if (this.#child.exitCode === null) await once(this.#child, 'close');
    return this.#child.exitCode;
  }

  /** What all paths say. */
  async readPaths(): Promise<string> {
    await until('its address', () => /http:\S+\/status/.test(this.output));
    const url = /http:\/\/[^/]+/.exec(this.output)?.[0] ?? '';
    const texts = PATHS.map(async (target) => (await fetch(`${url}${target}`)).text());
    return (await Promise.all(texts)).join('\n');
  }

  /** Waits until the log has what the servers say, and the paths our own words of it; no secret is in either. */
  async expectMasked({ logged, shown, secrets }: Expected): Promise<void> {
    const has = (text: string, parts: readonly RegExp[]): boolean =>
      parts.every((part) => part.test(text));
    const isLogged = until('what the servers say', () => has(this.stderr, logged));
    await isLogged.catch(() => expect(this.stderr).toBe(logged));
    let paths = '';
    await until('our words of it', async () => {
      paths = await this.readPaths();
      expect(paths).not.toContain(WORD);
      return has(paths, shown);
    });
    const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
    const all = `${paths}${this.stderr}${this.output}`;
    expect(forms.filter((form) => all.includes(form))).toEqual([]);
    expect(this.stderr).toContain('***');
  }
}

interface Expected {
  readonly logged: readonly RegExp[];
  readonly shown: readonly RegExp[];
  readonly secrets: readonly string[];
}

test('a service on nodes and a gRPC server that repeat secrets', async () => {
  const grpc = await ScriptedGrpc.start(null);
  grpc.token = 'another';
  grpc.refusal = WORD;
  ends.push(() => grpc.stop());
  const node = await startNode();
  const secrets = ['the user', 'pass wörd/1', 'path-key-12345678', 'query-key-12345678'];
  const [user = '', password = '', key, query] = secrets.map(encodeURIComponent);
  const url = `://${user}:${password}@${node}/v1/${key}?key=${query}`;
  const service = new Running('serve', {
    SLOTBOOK_RPC_URL: `http${url}`,
    SLOTBOOK_WS_URL: `ws${url}`,
    SLOTBOOK_SNAPSHOT_URL: `http${url}`,
    SLOTBOOK_SOURCE: `rpc:http${url},grpc:${grpc.url}`,
    SLOTBOOK_GRPC_TOKEN: 'the-token-of-grpc',
    SLOTBOOK_NO_HISTORY: 'true',
  });
  const base64 = Buffer.from(`${secrets[0]}:${secrets[1]}`).toString('base64');
  await service.expectMasked({
    logged: [/tell-tale: \*\*\*/],
    shown: [/the stream failed: UNAUTHENTICATED/, /HTTP status 401 instead of an upgrade/],
    secrets: [...secrets, base64, 'the-token-of-grpc'],
  });
}, 120_000);

test('an edge on Postgres that repeats secrets', async () => {
  const postgres = await startPostgres();
  const service = new Running('edge', {
    SLOTBOOK_NATS: 'nats://u:the-password-of-nats@no-such-host.invalid',
    SLOTBOOK_HISTORY_URL: `postgres://reader:pass%20word%2F1@${postgres}/history`,
  });
  await service.expectMasked({
    logged: [/tell-tale wrong password: \*\*\*/, /no-such-host\.invalid/],
    shown: [/"NATS cannot be reached: \w+"/, /"the server does not let the user in: .*\(28P01\)"/],
    secrets: ['the-password-of-nats', 'pass word/1'],
  });
}, 120_000);

test('an edge that NATS lets not in ends, and names no secret', async () => {
  const nats = await startNats();
  const service = new Running('edge', { SLOTBOOK_NATS: `nats://u:the-password@${nats}` });
  expect(await service.ended()).toBe(2);
  const [line] = /^slotbook: .*$/m.exec(service.stderr) ?? [];
  expect(line).toContain('LOG_REFUSED: NATS does not accept the user and password of --nats');
  expect(line).toMatch(/Authorization Violation tell-tale .*"user":"\*\*\*","pass":"\*\*\*"/);
  expect(service.stderr).not.toContain('the-password');
}, 120_000);

test('a history on a node that repeats secrets', async () => {
  const node = await startNode('taken');
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-secrets-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const secrets = ['path-key-12345678', 'query-key-12345678'];
  const service = new Running('serve', {
    SLOTBOOK_RPC_URL: `http://${node}/${secrets[0]}?key=${secrets[1]}`,
    SLOTBOOK_WS_URL: `ws://${node}/${secrets[0]}`,
    SLOTBOOK_BACKFILL_HOURS: '0',
    SLOTBOOK_DATA_DIR: folder,
  });
  await service.expectMasked({
    logged: [/tell-tale.*the history waits/],
    shown: [/"history":\{.*RPC server refused with the error -32601/],
    secrets,
  });
}, 120_000);

test('a service goes on whose log and whose output cannot be written', async () => {
  const full = openSync('/dev/full', 'w');
  const port = await freePort();
  const args = [cli, 'demo', '--port', String(port), '--no-history', '--no-journal'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', full] });
  ends.push(() => child.kill('SIGTERM'));
  child.stdout?.destroy();
  const read = (target: string): Promise<string> =>
    fetch(`http://127.0.0.1:${port}${target}`).then(
      (response) => response.text(),
      () => '',
    );
  await until('a live book', async () => (await read('/ready')).includes('"ready":true'));
  expect(await read('/metrics')).toMatch(/^slotbook_log_lines_lost_total [1-9]/m);
  expect(child.exitCode).toBeNull();
}, 120_000);
