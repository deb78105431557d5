import type { ProtocolViolation, StreamRule } from '../client/stream/violation.js';
import { VIOLATIONS_PRINTED_MAX } from './limits.js';

/** Counts the messages and the violations of a stream. */
export class Tally {
  readonly frames = { snapshot: 0, delta: 0, heartbeat: 0 };
  /** Bytes of all messages, as text. */
  bytes = 0;
  /** Snapshots with `reset`. */
  resets = 0;
  /** Subscriptions that received the missed frames. */
  resumes = 0;
  /** Connections after the first one. */
  reconnects = 0;
  /** Frames after which the best bid was above the best ask. */
  crossed = 0;
  readonly violations = new Map<StreamRule, number>();
  /** The first violations. */
  readonly messages: string[] = [];

  /** The number of violations. */
  get broken(): number {
    return [...this.violations.values()].reduce((sum, count) => sum + count, 0);
  }

  addViolation({ rule, message }: ProtocolViolation): void {
    this.violations.set(rule, (this.violations.get(rule) ?? 0) + 1);
    if (this.messages.length < VIOLATIONS_PRINTED_MAX) this.messages.push(`${rule}: ${message}`);
  }

  /** The report as an object. */
  reportBody(seconds: number): object {
    const { frames, bytes, resets, resumes, reconnects, crossed, broken, messages } = this;
    const violations = Object.fromEntries(this.violations);
    const counts = { bytes, resets, resumes, reconnects, crossed, broken };
    return { seconds, frames, ...counts, violations, messages };
  }

  /** The report at the end of a run. */
  reportLines(seconds: number): readonly string[] {
    const { snapshot, delta, heartbeat } = this.frames;
    const frames = snapshot + delta + heartbeat;
    const rate = seconds > 0 ? Math.round(this.bytes / seconds) : 0;
    const count = (rule: StreamRule): number => this.violations.get(rule) ?? 0;
    const others = this.broken - count('gap') - count('repeated') - count('crc');
    const rest = this.broken - this.messages.length;
    return [
      `frames     ${frames} in ${seconds.toFixed(1)} s: ${snapshot} snapshots, ${delta} deltas, ${heartbeat} heartbeats`,
      `bytes      ${this.bytes}, ${rate} a second`,
      `gaps       ${count('gap')}, and ${count('repeated')} repeated`,
      `checksums  ${count('crc')} wrong`,
      `others     ${others} rules broken`,
      `resets     ${this.resets}`,
      `reconnects ${this.reconnects}, resumed ${this.resumes} times`,
      `crossed    ${this.crossed} frames`,
      ...this.messages.map((text) => `broken     ${text}`),
      ...(rest > 0 ? [`broken     and ${rest} more`] : []),
    ];
  }
}
