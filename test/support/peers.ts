/** Three clients from three worlds that speak the compatible channels, all driven the same way. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { WebSocket } from 'ws';

/** A message as a client has it; `data` is parsed from its text. */
export interface PeerMessage {
  readonly channel?: string;
  readonly message?: string;
  readonly code?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A client that is connected. */
export interface Peer {
  send(message: object): Promise<void>;
  /** All it has heard so far. */
  heard(): Promise<readonly PeerMessage[]>;
  close(): Promise<void>;
}

/** Opens a peer; `missing` names the programs that must be installed. */
interface PeerKind {
  readonly name: string;
  readonly missing: string | undefined;
  readonly open: (url: string) => Promise<Peer>;
}

function parsedTwice(text: string): PeerMessage {
  const message = JSON.parse(text);
  return 'data' in message ? { ...message, data: JSON.parse(message.data) } : message;
}

async function openNode(url: string): Promise<Peer> {
  const socket = new WebSocket(url);
  const heard: PeerMessage[] = [];
  socket.on('message', (data: Buffer) => heard.push(parsedTwice(data.toString())));
  await once(socket, 'open');
  return {
    send: async (message) => socket.send(JSON.stringify(message)),
    heard: async () => heard,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

const PYTHON = '/usr/bin/python3';
const script = fileURLToPath(new URL('./compatible_client.py', import.meta.url));

async function openPython(url: string): Promise<Peer> {
  const child: ChildProcess = spawn(PYTHON, [script, url], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('Invariant: both are pipes');
  const heard: PeerMessage[] = [];
  createInterface({ input: stdout }).on('line', (line) => heard.push(JSON.parse(line)));
  return {
    send: async (message) => {
      stdin.write(`${JSON.stringify(message)}\n`);
    },
    heard: async () => {
      if (child.exitCode !== null) throw new Error(`the Python client ended: ${child.exitCode}`);
      return heard;
    },
    close: async () => {
      stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
      if (child.exitCode !== 0) throw new Error(`the Python client ended with ${child.exitCode}`);
    },
  };
}

const CHROMIUM = '/usr/bin/chromium';
/** Root has no sandbox, and the browser must not make requests of its own. */
const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts the browser, without anything that it requests by itself. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS });
}

/** A page of another origin than the service's. */
export class BrowserPage {
  private constructor(
    private readonly site: Server,
    private readonly browser: Browser,
    readonly page: Page,
  ) {}

  static async open(): Promise<BrowserPage> {
    const site = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>another site</title>');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const browser = await launchChromium();
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    return new BrowserPage(site, browser, page);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await new Promise((resolve) => this.site.close(resolve));
  }
}

/** Records the page's messages; the code runs in the browser, where these names are globals. */
const OPEN_IN_PAGE = `(url) => new Promise((resolve, reject) => {
  const socket = new WebSocket(url);
  globalThis.heard = [];
  globalThis.socket = socket;
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    globalThis.heard.push('data' in message ? { ...message, data: JSON.parse(message.data) } : message);
  };
  socket.onopen = () => resolve();
  socket.onerror = () => reject(new Error('the browser could not connect'));
})`;

async function openBrowser(url: string): Promise<Peer> {
  const browser = await BrowserPage.open();
  const { page } = browser;
  await page.evaluate(`(${OPEN_IN_PAGE})(${JSON.stringify(url)})`);
  return {
    send: async (message) => {
      await page.evaluate(`socket.send(${JSON.stringify(JSON.stringify(message))})`);
    },
    heard: () => page.evaluate('heard'),
    close: () => browser.close(),
  };
}

function missing(what: string, command: string, args: readonly string[]): string | undefined {
  const found = spawnSync(command, args, { stdio: 'ignore' });
  return found.status === 0 ? undefined : `needs ${what}`;
}

/** Says why the browser cannot be started; undefined when it can. */
export const chromiumMissing = (): string | undefined =>
  missing('chromium', CHROMIUM, ['--version']);

/** All kinds of clients, with their installed programs. */
export function peerKinds(): PeerKind[] {
  const module = missing('python3-websockets', PYTHON, ['-c', 'import websockets']);
  return [
    { name: 'ws of Node.js', missing: undefined, open: openNode },
    { name: 'Chromium', missing: chromiumMissing(), open: openBrowser },
    { name: 'websockets of Python', missing: module, open: openPython },
  ];
}
