/**
 * Takes docs/page.png, the picture in README.md, of the demo's page.
 * `npm run screenshot -- --url URL` uses a running service.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { encodePng } from './png.mjs';
import { root } from './process.mjs';

/** The smallest width with all panels in one row. */
const SIZE = { width: 1_440, height: 864 };
/** Verified checksums to wait for. */
const CHECKSUMS = 200;
/** Time limit for the page: a busy machine draws few frames. */
const PAGE_MS_MAX = 180_000;
const DEMO_FLAGS = ['demo', '--port', '0', '--fills', '5', '--log-level', 'warn'];

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    out: { type: 'string', default: path.join(root, 'docs', 'page.png') },
  },
});

const demo = values.url === undefined ? startDemo() : undefined;
try {
  const url = values.url ?? (await readyUrl(demo));
  await takePicture(url);
} finally {
  demo?.kill('SIGTERM');
}

function startDemo() {
  const cli = path.join(root, 'dist', 'src', 'app', 'cli.js');
  return spawn(process.execPath, [cli, ...DEMO_FLAGS], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The address that the demo prints when its book is live. */
async function readyUrl(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^ready (http:\S+)$/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  await once(child, 'exit');
  throw new Error('the demo ended before its book was live');
}

async function takePicture(url) {
  const args = ['--no-sandbox', '--disable-gpu'];
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
  try {
    const page = await browser.newPage({ viewport: SIZE, colorScheme: 'dark' });
    page.setDefaultTimeout(PAGE_MS_MAX);
    await page.goto(`${url}/?market=BTC-PERP`);
    await page.getByTestId('state').getByText('live').waitFor();
    await page.waitForFunction(hasVerified, CHECKSUMS);
    // Selects the third bid, so that the picture shows its queue.
    const ladder = page.getByRole('application');
    await ladder.focus();
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowDown');
    await page.getByTestId('trades').locator('tbody tr').nth(10).waitFor();
    await page.keyboard.press('Enter');
    await page.getByTestId('queue').locator('tbody tr').first().waitFor();
    await page.evaluate('document.activeElement.blur()');
    await page.getByTestId('latency').getByText('ms').waitFor();
    const picture = await page.screenshot();
    writeFileSync(values.out, encodePng(await readPixels(browser, picture)));
  } finally {
    await browser.close();
  }
}

/** This function runs in the page. */
function hasVerified(count) {
  const text = globalThis.document.querySelector('[data-testid=verified]')?.textContent ?? '0';
  return Number(text.replaceAll(',', '')) >= count;
}

/** A PNG's pixels, decoded by the browser. */
async function readPixels(browser, png) {
  const page = await browser.newPage();
  const { width, height, text } = await page.evaluate(`(async () => {
    const picture = await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob();
    const bitmap = await createImageBitmap(picture);
    const { width, height } = bitmap;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const pixels = new Blob([context.getImageData(0, 0, width, height).data]);
    const reader = new FileReader();
    const read = new Promise((resolve) => { reader.onload = resolve; });
    reader.readAsDataURL(pixels);
    await read;
    return { width, height, text: reader.result.slice(reader.result.indexOf(',') + 1) };
  })()`);
  return { width, height, rgba: Buffer.from(text, 'base64') };
}
