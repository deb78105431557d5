/** The browser of tests. */
import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';

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

function missing(what: string, command: string, args: readonly string[]): string | undefined {
  const found = spawnSync(command, args, { stdio: 'ignore' });
  return found.status === 0 ? undefined : `needs ${what}`;
}

/** Says why the browser cannot be started; undefined when it can. */
export const chromiumMissing = (): string | undefined =>
  missing('chromium', CHROMIUM, ['--version']);
