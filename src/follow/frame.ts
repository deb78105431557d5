/** The frames of a topic, read without trust: each is what docs/streaming.md says, or a Breach. */
import { Breach } from './breach.js';
import { Members } from './members.js';
import { bestOf, levelOf, orderNameOf, orderOf, type Row } from './rows.js';
import type { FollowedTopic } from './topic.js';

const STATES = ['live', 'lagging', 'stale', 'rebuilding'] as const;

/** How fresh a book is. */
export type BookState = (typeof STATES)[number];

/** What every frame has. */
export interface Head {
  readonly epoch: string;
  readonly seq: number;
  readonly slot: number;
  /** Unix milliseconds. */
  readonly ts: number;
  readonly state: BookState;
}

/** What happens to one side. */
export interface SideChange {
  /** Rows that must not be there yet. */
  readonly add: readonly Row[];
  /** Rows that must be there. */
  readonly change: readonly Row[];
  /** Rows that may be there. */
  readonly put: readonly Row[];
  readonly remove: readonly string[];
}

/** A frame of a topic. */
export type Frame =
  | (Head & {
      readonly type: 'snapshot';
      readonly reset: boolean;
      readonly sides: readonly [bids: readonly Row[], asks: readonly Row[]];
      readonly crc: number;
    })
  | (Head & {
      readonly type: 'delta';
      readonly prev: number;
      readonly changes: readonly [bids: SideChange, asks: SideChange];
      readonly crc: number;
    })
  | (Head & { readonly type: 'heartbeat' });

type Channel = FollowedTopic['channel'];

/** Whether a message is a frame of a topic. */
export function isFrame(type: unknown): type is Frame['type'] {
  return type === 'snapshot' || type === 'delta' || type === 'heartbeat';
}

/** Reads a frame. Throws a Breach of `malformed`. */
export function frameOf(message: Members, channel: Channel): Frame {
  const type = message.text('type');
  const head = headOf(message);
  if (type === 'heartbeat') return { type, ...head };
  if (message.text('channel') !== channel) {
    throw new Breach('malformed', `a frame of the channel ${channel} says another`);
  }
  message.text('market');
  const crc = message.count('crc');
  if (type === 'delta') {
    const prev = message.count('prev');
    return { type, ...head, prev, changes: bothSides(message, channel, changeOf), crc };
  }
  const reset = message.flag('reset');
  return { type: 'snapshot', ...head, reset, sides: bothSides(message, channel, rowsOf), crc };
}

function headOf(message: Members): Head {
  const name = message.text('state');
  const state = STATES.find((known) => known === name);
  if (state === undefined) throw new Breach('malformed', 'a frame has a state that there is not');
  const [seq, slot, ts] = [message.count('seq'), message.count('slot'), message.count('ts')];
  return { epoch: message.text('epoch'), seq, slot, ts, state };
}

function bothSides<T>(
  message: Members,
  channel: Channel,
  read: (message: Members, name: string, channel: Channel) => T,
): readonly [T, T] {
  const names = channel === 'bbo' ? (['bid', 'ask'] as const) : (['bids', 'asks'] as const);
  return [read(message, names[0], channel), read(message, names[1], channel)];
}

function rowsOf(message: Members, name: string, channel: Channel): readonly Row[] {
  if (channel !== 'bbo') return message.list(name).map(channel === 'l3' ? orderOf : levelOf);
  const best = message.get(name);
  return best === null ? [] : [bestOf(best)];
}

function changeOf(message: Members, name: string, channel: Channel): SideChange {
  if (channel === 'l3') return orderChange(Members.of(message.get(name), name));
  const rows = rowsOf(message, name, channel);
  const put = rows.filter(({ size }) => size > 0n);
  const remove = rows.filter(({ size }) => size === 0n).map(({ key }) => key);
  return { add: [], change: [], put, remove };
}

function orderChange(members: Members): SideChange {
  return {
    add: members.list('add').map(orderOf),
    change: members.list('change').map(orderOf),
    put: [],
    remove: members.list('remove').map(orderNameOf),
  };
}
