/** The commands about the signed log of the books. */
import { readFileSync, writeFileSync } from 'node:fs';
import { checkEvidence } from '../client/proof/verify-proof.js';
import { ConfigError } from '../config/config-error.js';
import type { Flags } from '../config/setting-reader.js';
import { resultText } from '../contract/command-result.js';
import { findAddress } from '../contract/flag-reader.js';
import { type LeafTurn, readLeafTurns } from '../journal/leaf-turns.js';
import { rootOfEntries, splitEntries } from '../proof/leaf.js';
import { newSigningKey, Signer } from '../proof/note.js';
import { sleep, systemTimers } from '../rpc/timers.js';
import { type RecomputedLeaf, type SignedLog, verifyLog } from '../verify/verify-log.js';
import { secondsReader } from './check-command.js';
import type { CommandOutput } from './journal-commands.js';
import { existingFolder } from './journal-origin.js';

/** How long two services are compared at most, seconds. */
const SECONDS_DEFAULT = '30';

/** Writes a new key to a file that must not exist; prints the key that checks its signatures. */
export function writeSigningKey(name: string, file: string, output: CommandOutput): true {
  const key = newSigningKey(name);
  writeFileSync(file, `${key}\n`, { flag: 'wx', mode: 0o600 });
  output.write(`${Signer.read(key).verifierKey}\n`);
  return true;
}

/**
 * Checks the file of a PROOF_FAILED, and prints the proven fault. Rejects with PROOF_FAILED when it
 * proves nothing.
 */
export async function verifyEvidence(
  file: string,
  output: CommandOutput,
  isJson: boolean,
): Promise<boolean> {
  const line = `proven: ${await checkEvidence(readFileSync(file, 'utf8'))}`;
  output.write(resultText({ lines: [line], body: { finding: 'proven', text: line } }, isJson));
  return true;
}

/** Checks the signed log of a service by the flags of `verify`. Rejects with a ConfigError. */
export async function verifySignedLog(
  { json, ...flags }: Flags,
  output: CommandOutput,
): Promise<boolean> {
  const textOf = (name: string): string | undefined => textIn(flags, name);
  const placeOf = (name: string, keyName: string): SignedLog => {
    const url = textOf(name)?.replace(/\/+$/, '');
    const key = textOf(keyName);
    if (url !== undefined && key !== undefined && findAddress(url)) return { url, key };
    throw notAddress(name);
  };
  const journal = textOf('journal');
  const folder = journal === undefined ? undefined : existingFolder(journal, '--journal');
  return verifyLog({
    log: placeOf('log', 'key'),
    kept: textOf('kept') ?? 'slotbook-log.checkpoint',
    recomputed: folder === undefined ? undefined : leavesOf(readLeafTurns(folder)),
    other: textOf('other') === undefined ? undefined : placeOf('other', 'otherKey'),
    seconds: secondsReader.readWhole('seconds', textOf('seconds') ?? SECONDS_DEFAULT, [1, 3_600]),
    wait: (ms) => sleep(systemTimers, ms),
    print: (text, finding) =>
      output.write(resultText({ lines: [text], body: { finding, text } }, json === true)),
  });
}

function textIn(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

function notAddress(name: string): ConfigError {
  const message = `--${name} must be the address of a service, with the key of its log`;
  return new ConfigError('INVALID_SETTING', message, `--${name}`);
}

function* leavesOf(turns: Iterable<LeafTurn>): Generator<RecomputedLeaf> {
  for (const { entries, ...turn } of turns) {
    yield { ...turn, root: rootOfEntries(splitEntries(entries)) };
  }
}
