/** The systemd unit and the container file of `ops`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

export function readInRoot(name: string): string {
  return readFileSync(path.join(root, name), 'utf8');
}

/** Lines that a backslash continues are one. */
const joined = (text: string): string => text.replaceAll(/\\\n\s*/g, '');

const unit = joined(readInRoot('ops/slotbook.service'));
export const container = joined(readInRoot('ops/Dockerfile'));

/** The value of a directive of the unit. */
export function directive(name: string): string {
  const found = new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];
  if (found === undefined) throw new Error(`the unit has no ${name}`);
  return found;
}

/** The list in brackets of an instruction in the container file's last stage. */
export function instruction(name: string): readonly string[] {
  const stage = container.slice(container.lastIndexOf('\nFROM '));
  const found = new RegExp(`^${name} .*?(\\[.*\\])$`, 'm').exec(stage)?.[1];
  return JSON.parse(found ?? 'null');
}
