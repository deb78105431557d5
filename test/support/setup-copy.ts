/** The files of the repository that the set-up looks at before anything runs, in a folder of their own. */
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { workspaces } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

export const INSTALLED = 'node_modules/.package-lock.json';
export const TRANSPORT = 'node_modules/uWebSockets.js';
/** The native file that this Node.js loads, and one that it does not. */
export const LOADED = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
export const OTHER = 'uws_win32_x64_83.node';

/** The folder, which the test removes. */
export function copyForSetup(): string {
  const copy = mkdtempSync(path.join(tmpdir(), 'slotbook-setup-'));
  const manifests = ['', ...workspaces].map((name) => path.join(name, 'package.json'));
  const parts = ['package.json', 'source_commit', LOADED, OTHER].map((name) =>
    path.join(TRANSPORT, name),
  );
  for (const name of [...manifests, 'scripts', 'package-lock.json', INSTALLED, ...parts])
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  return copy;
}

/** Turns the last bit of a native file; returns its bytes before and after. */
export function damageNative(copy: string, name: string): readonly [Buffer, Buffer] {
  const file = path.join(copy, TRANSPORT, name);
  const before = readFileSync(file);
  const after = Buffer.from(before);
  after.writeUInt8(after.readUInt8(after.length - 1) ^ 1, after.length - 1);
  writeFileSync(file, after);
  return [before, after];
}
