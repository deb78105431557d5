import type { Breach, Rule } from './breach.js';
import { BREACHES_PRINTED_MAX } from './limits.js';

/** What came over a stream, and what was wrong with it. */
export class Tally {
  readonly frames = { snapshot: 0, delta: 0, heartbeat: 0 };
  /** Of all messages, as text. */
  bytes = 0;
  /** Snapshots that told to forget what was there. */
  resets = 0;
  /** Subscriptions that were answered with what had been missed. */
  resumes = 0;
  /** Connections after the first one. */
  reconnects = 0;
  /** Frames after which the best bid was above the best ask. */
  crossed = 0;
  readonly breaches = new Map<Rule, number>();
  /** The first breaches, in words. */
  readonly told: string[] = [];

  /** Rules broken, each time that one was. */
  get broken(): number {
    return [...this.breaches.values()].reduce((sum, count) => sum + count, 0);
  }

  breach({ rule, message }: Breach): void {
    this.breaches.set(rule, (this.breaches.get(rule) ?? 0) + 1);
    if (this.told.length < BREACHES_PRINTED_MAX) this.told.push(`${rule}: ${message}`);
  }

  /** The report at the end of a run. */
  lines(seconds: number): readonly string[] {
    const { snapshot, delta, heartbeat } = this.frames;
    const frames = snapshot + delta + heartbeat;
    const rate = seconds > 0 ? Math.round(this.bytes / seconds) : 0;
    const count = (rule: Rule): number => this.breaches.get(rule) ?? 0;
    const others = this.broken - count('gap') - count('repeated') - count('crc');
    const rest = this.broken - this.told.length;
    return [
      `frames     ${frames} in ${seconds.toFixed(1)} s: ${snapshot} snapshots, ${delta} deltas, ${heartbeat} heartbeats`,
      `bytes      ${this.bytes}, ${rate} a second`,
      `gaps       ${count('gap')}, and ${count('repeated')} repeated`,
      `checksums  ${count('crc')} wrong`,
      `others     ${others} rules broken`,
      `resets     ${this.resets}`,
      `reconnects ${this.reconnects}, resumed ${this.resumes} times`,
      `crossed    ${this.crossed} frames`,
      ...this.told.map((text) => `broken     ${text}`),
      ...(rest > 0 ? [`broken     and ${rest} more`] : []),
    ];
  }
}
