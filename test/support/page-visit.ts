/** A visit of the service's page in Chromium, which notes everything that must not happen on it. */
import type { Browser, BrowserContext, Page, WebSocket } from 'playwright-core';
import { until } from './until.js';

const WAIT_MS = 60_000;

/** The browser's settings for a visit. */
export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
}

/** How the page is visited. */
export interface VisitOptions extends Look {
  /** The content to wait for: a ladder by default, or the state alone; none for a document. */
  readonly shows?: 'market' | 'service' | 'document';
  /** The state to wait for, live by default. */
  readonly state?: string;
  /** Called before the page is opened. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Runs in the page before its own scripts. */
const WATCH = `
  globalThis.watched = { violations: [], shift: 0, states: [] };
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    watched.violations.push(violatedDirective + ' ' + blockedURI);
  });
  new MutationObserver(() => {
    const state = document.querySelector('[data-testid=state] b')?.textContent;
    if (state && watched.states.at(-1) !== state) watched.states.push(state);
  }).observe(document, { subtree: true, childList: true, characterData: true });
  let shifts = { firstMs: -Infinity, lastMs: -Infinity, sum: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime, value, hadRecentInput } of list.getEntries()) {
      if (hadRecentInput) continue;
      const isNew = startTime - shifts.lastMs > 1_000 || startTime - shifts.firstMs > 5_000;
      shifts = isNew ? { firstMs: startTime, sum: 0 } : shifts;
      shifts.lastMs = startTime;
      shifts.sum += value;
      watched.shift = Math.max(watched.shift, shifts.sum);
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** The ladder as its table says it: the rows of one book. */
interface LadderTable {
  readonly epoch: string;
  readonly seq: number;
  /** Side, price, size, and the sizes by source, as decimal text. */
  readonly rows: readonly (readonly string[])[];
}

/** One visit. */
export class PageVisit {
  readonly #context: BrowserContext;
  readonly #errors: string[] = [];
  readonly #origins = new Set<string>();
  readonly #sockets: WebSocket[] = [];
  #bookSubscriptions = 0;
  #replays = 0;

  private constructor(
    context: BrowserContext,
    readonly page: Page,
  ) {
    this.#context = context;
    page.setDefaultTimeout(WAIT_MS);
    page.on('pageerror', (error) => this.#errors.push(error.message));
    page.on('console', (message) => {
      // Messages about lost connections are not faults of the page.
      const isNetwork = /net::ERR|WebSocket connection/.test(message.text());
      if (message.type() === 'error' && !isNetwork) this.#errors.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) this.#origins.add(new URL(request.url()).origin);
    });
    page.on('websocket', (socket) => {
      this.#sockets.push(socket);
      socket.on('framesent', ({ payload }) => {
        const text = String(payload);
        if (!text.includes('"channel":"book"')) return;
        if (text.includes('"from":')) this.#replays += 1;
        else this.#bookSubscriptions += 1;
      });
      this.#origins.add(new URL(socket.url()).origin.replace(/^ws/, 'http'));
    });
  }

  /** Opens the page and waits for a book that is live. */
  static async open(browser: Browser, url: string, options: VisitOptions = {}): Promise<PageVisit> {
    const { width = 1_440, height = 900, theme = 'dark', shows = 'market', prepare } = options;
    const { state = 'live' } = options;
    const viewport = { width, height };
    const context = await browser.newContext({ viewport, colorScheme: theme });
    const visit = new PageVisit(context, await context.newPage());
    await visit.page.addInitScript(WATCH);
    await prepare?.(visit.page);
    await visit.page.goto(url);
    if (shows !== 'document') await visit.untilState(state);
    if (shows === 'market') {
      await until('rows in the ladder', async () => (await visit.readLadder()).rows.length > 0);
    }
    return visit;
  }

  /** How often it has subscribed to a live book. */
  get bookSubscriptions(): number {
    return this.#bookSubscriptions;
  }

  /** How often it has subscribed to a book of the past. */
  get replays(): number {
    return this.#replays;
  }

  /** How many WebSockets are open. */
  get openSockets(): number {
    return this.#sockets.filter((socket) => !socket.isClosed()).length;
  }

  /** Looks at the same page otherwise. */
  async setLook({ width, height, theme }: Required<Look>): Promise<void> {
    await this.page.setViewportSize({ width, height });
    await this.page.emulateMedia({ colorScheme: theme });
    const read = 'document.documentElement.dataset.theme';
    await until('the theme', async () => (await this.page.evaluate(read)) === theme);
  }

  /** Waits for a state of the book in the truth strip. */
  async untilState(state: string): Promise<void> {
    await until(`the state ${state}`, async () => (await this.text('state')).startsWith(state));
  }

  /** The text of a marked element, trimmed. */
  async text(id: string): Promise<string> {
    return ((await this.page.getByTestId(id).textContent()) ?? '').trim();
  }

  readLadder(): Promise<LadderTable> {
    return this.page.evaluate(`(() => {
      const table = document.querySelector('[data-testid=ladder]');
      const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent));
      return { epoch: table.dataset.epoch, seq: Number(table.dataset.seq), rows };
    })()`);
  }

  /** Faults, which must be empty at the end: errors, policy violations, and requests to other hosts. */
  async findFaults(url: string): Promise<readonly string[]> {
    const violations = await this.page.evaluate<string[]>('watched.violations');
    const origins = [...this.#origins].filter((origin) => origin !== new URL(url).origin);
    return [...this.#errors, ...violations, ...origins];
  }

  /** The states of the book in the truth strip, in order. */
  states(): Promise<readonly string[]> {
    return this.page.evaluate('watched.states');
  }

  /** The cumulative layout shift, as Web Vitals has it: the most in a run of shifts, of five seconds at most. */
  layoutShift(): Promise<number> {
    return this.page.evaluate('watched.shift');
  }

  /** Bytes of the loaded scripts as they were sent, without the library that draws a chart. */
  scriptBytes(): Promise<number> {
    return this.page.evaluate(`performance.getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('.js') && !/candle-chart|time-plot|LiquidityPanel/.test(name))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}
