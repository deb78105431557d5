/** The messages of clients about replays, and the replies of the service. */
import { LIMITS } from '../../config/limits.js';
import type { AsOfMoment } from '../../contract/as-of-source.js';
import type { ReplayCommand, ReplayEvent, ReplayRefusal } from '../../contract/replay-source.js';
import { SocketError } from '../transport/errors.js';
import { type ClientMessage, idOfText, replyText } from './client-message.js';

/** The types of messages about a replay. */
export type ReplayAction = ReplayCommand['kind'];

/** Returns whether this is the type of a message about a replay. */
export function isReplayAction(type: string | undefined): type is ReplayAction {
  return type === 'pause' || type === 'resume' || type === 'seek';
}

/** A request for a replay. */
interface ReplayPlan {
  readonly from: AsOfMoment;
  readonly until: AsOfMoment | null | undefined;
  readonly speed: number | undefined;
}

/** Reads `from`, `until` and `speed`. Throws a SocketError that names the invalid member. */
export function readPlan(message: ClientMessage): ReplayPlan {
  if (!message.hasMember('from')) throw new SocketError('MISSING_PARAM', 'from is missing');
  const from = readMoment(message, 'from');
  const until = readUntil(message);
  requireOrder(from, until);
  return { from, until, speed: readSpeed(message) };
}

/** The requested speed; undefined by default. */
export function readSpeed(message: ClientMessage): number | undefined {
  return message.readInteger('speed', { min: 1, max: LIMITS.replaySpeedMax });
}

/** Reads the requested end of a replay: null for no end, undefined for the default. */
function readUntil(message: ClientMessage): AsOfMoment | null | undefined {
  const value = message.getValue('until');
  if (value === undefined || value === null) return value;
  const until = readMoment(message, 'until');
  if (until.by === 'seq' || until.epoch === undefined) return until;
  const text = 'until.epoch was given without until.seq, must be given with it';
  throw new SocketError('INVALID_PARAM', text);
}

const MAXIMA = {
  slot: Number.MAX_SAFE_INTEGER,
  ts: LIMITS.unixSecondsMax * 1_000,
  seq: Number.MAX_SAFE_INTEGER,
} as const;

const NAMES = ['slot', 'ts', 'seq'] as const;

function readMoment(message: ClientMessage, name: 'from' | 'until'): AsOfMoment {
  const sent = message.requireObject(name);
  const values = NAMES.map((by) => sent.readInteger(by, { min: 0, max: MAXIMA[by] }));
  const given = NAMES.filter((_, at) => values[at] !== undefined);
  const [by, other] = given;
  if (by === undefined) {
    const text = `${name} has no moment, must have slot, ts, or epoch and seq`;
    throw new SocketError('MISSING_PARAM', text);
  }
  if (other !== undefined) {
    const text = `${name}.${other} was given together with ${name}.${by}, must be given alone`;
    throw new SocketError('INVALID_PARAM', text);
  }
  const value = values[NAMES.indexOf(by)] ?? 0;
  const epoch = sent.hasMember('epoch') ? requireEpoch(sent, name) : undefined;
  if (by === 'seq' && epoch === undefined) {
    throw new SocketError('MISSING_PARAM', `${name}.epoch is missing: seq needs it`);
  }
  return epoch === undefined ? { by, value } : { by, value, epoch };
}

function requireEpoch(sent: ClientMessage, name: string): string {
  const epoch = sent.requireText('epoch');
  const max = LIMITS.epochCharsMax;
  if (epoch !== '' && epoch.length <= max) return epoch;
  const text = `${name}.epoch had ${epoch.length} characters, must have 1 to ${max}`;
  throw new SocketError('INVALID_PARAM', text);
}

function requireOrder(from: AsOfMoment, until: AsOfMoment | null | undefined): void {
  if (until?.by !== from.by || until.epoch !== from.epoch || until.value >= from.value) return;
  const text = `until.${until.by} was ${until.value}, must be at least from.${from.by}, ${from.value}`;
  throw new SocketError('OUT_OF_RANGE', text);
}

/** Returns the error for a refused replay; HTTP requests for the same moment get the same code. */
export function refusalError({ kind, message }: ReplayRefusal): SocketError {
  switch (kind) {
    case 'notKept':
      return new SocketError('MOMENT_NOT_KEPT', message);
    case 'noMarket':
      return new SocketError('UNKNOWN_MARKET', message);
    case 'busy':
      return new SocketError('LIMIT_EXCEEDED', message);
    case 'fault':
      return new SocketError('INTERNAL', 'the replay failed unexpectedly');
  }
}

/** Events that are sent to the client unchanged; all other events end the replay. */
type SentEvent = Exclude<ReplayEvent, { readonly kind: 'caughtUp' | 'failed' }>;

/** Writes an event of a topic as text. */
export function textOfEvent(event: SentEvent, topic: string): string {
  switch (event.kind) {
    case 'paused':
      return replyText({ type: 'paused', id: idOfText(event.id), topic, ...event.at });
    case 'resumed':
      return replyText({ type: 'resumed', id: idOfText(event.id), topic, speed: event.speed });
    case 'sought':
      return replyText({ type: 'sought', id: idOfText(event.id), topic });
    case 'seekRefused': {
      const { code, message } = refusalError(event.refusal);
      return replyText({ type: 'error', code, message, id: idOfText(event.id) });
    }
    case 'hole': {
      const { from, to, reason } = event;
      return JSON.stringify({ type: 'hole', topic, from, to, reason });
    }
    case 'ended':
      return JSON.stringify({ type: 'ended', topic, ...event.at, reason: event.reason });
  }
}
