/** The packages of `npm run pack`, and the service installed from them. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Packs into a folder; returns the arguments of the install that it prints: the files of core, client and service. */
export async function pack(folder: string): Promise<readonly string[]> {
  const packing = promisify(execFile)('node', ['scripts/pack.mjs', folder], { cwd: root });
  const { stdout } = await packing;
  return /^ {2}npm install (.*)$/m.exec(stdout)?.[1]?.split(' ') ?? [];
}

/** A book of five levels, the page with its script, and the documents of the API. */
export async function expectServes(url: string): Promise<void> {
  const book = await (await fetch(`${url}/l2?marketName=SOL-PERP&depth=5`)).json();
  const levels = Array.from({ length: 5 }, () =>
    expect.objectContaining({ sources: { dlob: expect.any(String) } }),
  );
  expect(book).toMatchObject({ marketName: 'SOL-PERP', bids: levels, asks: levels });
  const html = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
  const [, script = 'no script'] = /<script[^>]* src="\.?\/?([^"]+)"/.exec(html) ?? [];
  const loaded = [script, 'docs/swagger-ui-bundle.js', 'docs/swagger-ui.css', 'openapi.json'];
  const statuses = loaded.map(async (name) => (await fetch(`${url}/${name}`)).status);
  expect(await Promise.all(statuses)).toEqual(loaded.map(() => 200));
}
