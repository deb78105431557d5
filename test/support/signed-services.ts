/** The files and flags by which the processes of a cluster share a signed log. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { newSigningKey, Signer } from '../../src/proof/note.js';
import { verifyLog } from '../../src/verify/verify-log.js';

/** One key, and a folder for each process. */
export class SignedServices {
  readonly signer = Signer.read(newSigningKey('book.test/log'));
  readonly folder = mkdtempSync(path.join(tmpdir(), 'slotbook-signed-'));

  constructor() {
    onTestFinished(() => rmSync(this.folder, { recursive: true }));
  }

  /** The settings of a process with files of its own. */
  settingsOf(role: 'core' | 'edge', name: string): { signingKey: string; dataDir: string } {
    const dataDir = path.join(this.folder, name);
    mkdirSync(dataDir);
    const { privateKey, verifierKey } = this.signer;
    const signingKey = path.join(dataDir, 'key');
    writeFileSync(signingKey, role === 'core' ? privateKey : verifierKey);
    return { signingKey, dataDir };
  }

  flagsOf(role: 'core' | 'edge', name: string): readonly string[] {
    const { signingKey, dataDir } = this.settingsOf(role, name);
    return ['--signing-key', signingKey, '--data-dir', dataDir];
  }

  /** The leaves of a checkpoint; 0 for another text. */
  sizeOf(note: string): number {
    return note.startsWith(this.signer.name) ? this.signer.verifier.openCheckpoint(note).size : 0;
  }

  /** What `verify --log` says of the log at an address, which it has seen before. */
  async verify(url: string): Promise<unknown[]> {
    const lines: unknown[] = [];
    const isRight = await verifyLog({
      log: { url, key: this.signer.verifierKey },
      kept: path.join(this.folder, 'kept'),
      seconds: 10,
      wait: (ms) => sleep(ms),
      print: (line) => void lines.push(line),
    });
    return [isRight, ...lines];
  }
}
