import { CLOCK_KEY } from '../src/feed/model/queries.js';
import type { Reply, ScriptedRpc, SeenSubscription } from './scripted-rpc.js';

/** Account sizes that the feed's filters ask for, and what they stand for. */
const KIND_OF_SIZE: Readonly<Record<number, string>> = {
  4376: 'user',
  1216: 'perp',
  776: 'spot',
  992: 'state',
};

/** The Clock account at this time, base64; its slot is the one at which it is read. */
export function clockData(unixSeconds: number, slot = 0): string {
  const data = Buffer.alloc(40);
  data.writeBigUInt64LE(BigInt(slot), 0);
  data.writeBigInt64LE(BigInt(unixSeconds), 32);
  return data.toString('base64');
}

/** The RPC form of an account; data of '' is a closed one. */
export function accountJson(data: string, encoding = 'base64+zstd'): object {
  const lamports = data === '' ? 0 : 1;
  return { data: [data, encoding], owner: 'program', lamports, executable: false, rentEpoch: 0 };
}

/** How a node refuses a scan. */
export const ABORTED_SCAN: Reply = { error: { code: -32010, message: 'scan aborted' } };

/** Genesis hashes: base58 of 32 bytes by their length. */
const GENESIS_HASH = 'genesis'.repeat(5);
export const OTHER_GENESIS_HASH = 'other'.repeat(7);

/**
 * The accounts behind a scripted RPC, keyed by name: `user…`, `perp…`, `spot…` and `state…` are the
 * program's, every other key is an oracle.
 */
export class FakeChain {
  readonly accounts = new Map<string, string>([
    ['state', 's'],
    ['perp0', 'market:oracle0'],
    ['oracle0', 'o0'],
    ['user1', 'a'],
    ['user2', 'b'],
    [CLOCK_KEY, clockData(1_000)],
  ]);
  slot = 100;
  genesisHash = GENESIS_HASH;
  /** Runs when users are asked for, before they are read: the moment in which a race happens. */
  beforeUsers: () => Promise<void> | void = () => undefined;
  readonly #server: ScriptedRpc;

  constructor(server: ScriptedRpc) {
    this.#server = server;
    server.answer('getGenesisHash', () => ({ result: this.genesisHash }));
    server.answer('getSlot', () => ({ result: this.slot }));
    server.answer('getProgramAccounts', async (params) => {
      const kind = kindOf(params);
      if (kind === 'user') await this.beforeUsers();
      return this.program(kind);
    });
    server.answer('getMultipleAccounts', ([keys]) => this.multiple(keys as string[]));
  }

  /** Adds users without a word: `user-0` and so on. */
  addUsers(count: number): readonly string[] {
    const names = Array.from({ length: count }, (_, index) => `user-${index}`);
    for (const name of names) this.accounts.set(name, 'x');
    return names;
  }

  /** Replies to scans of the users, the first of which is 1; null is the users as they are. */
  answerUsers(reply: (scan: number) => Reply | null): void {
    let scans = 0;
    this.#server.answer('getProgramAccounts', async (params) => {
      const kind = kindOf(params);
      if (kind !== 'user') return this.program(kind);
      scans += 1;
      const instead = reply(scans);
      if (instead === null) await this.beforeUsers();
      return instead ?? this.program(kind);
    });
  }

  /** A scan that found these. */
  scanOf(value: readonly object[]): Reply {
    return { result: { context: { slot: this.slot }, value } };
  }

  /** Who subscribes to slots is notified of this one before its acknowledgement. */
  announceSlot(slot: number): void {
    const early = [{ slot, parent: slot - 1, root: 0 }];
    this.#server.onSubscribe = (method) => (method === 'slotSubscribe' ? { early } : 'ack');
  }

  /** The answer of getProgramAccounts for this kind now. */
  program(kind: string): Reply {
    return this.scanOf(this.rows(kind));
  }

  /** The accounts of this kind as getProgramAccounts lists them. */
  rows(kind: string): readonly object[] {
    const rows = [...this.accounts].filter(([key]) => key.startsWith(kind));
    return rows.map(([pubkey, data]) => ({ pubkey, account: accountJson(data) }));
  }

  multiple(keys: readonly string[]): Reply {
    const value = keys.map((key) => {
      const data = this.accounts.get(key);
      return data === undefined ? null : accountJson(ofSlot(key, data, this.slot), 'base64');
    });
    return { result: { context: { slot: this.slot }, value } };
  }

  /** Notifies a state of an account; the chain itself does not change. */
  notify(pubkey: string, data: string, slot: number): void {
    const context = { slot };
    const told = this.#server.notify(
      (subscription) => isProgram(subscription, pubkey) || subscription.params[0] === pubkey,
      pubkey.startsWith('oracle') || pubkey === CLOCK_KEY
        ? { context, value: accountJson(ofSlot(pubkey, data, slot), 'base64') }
        : { context, value: { pubkey, account: accountJson(data) } },
    );
    if (told === 0) throw new Error(`nobody has subscribed to ${pubkey}`);
  }

  /** Changes an account and notifies it, one slot later. */
  change(pubkey: string, data: string): void {
    this.slot += 1;
    this.accounts.set(pubkey, data);
    this.notify(pubkey, data, this.slot);
  }

  /** Announces a slot, which follows the one before it where nothing else is said. */
  tick(slot: number, parent = slot - 1): void {
    this.#server.notify(({ method }) => method === 'slotSubscribe', {
      slot,
      parent,
      root: 0,
    });
  }
}

/** The Clock is written in every slot. */
function ofSlot(pubkey: string, data: string, slot: number): string {
  if (pubkey !== CLOCK_KEY) return data;
  return clockData(Number(Buffer.from(data, 'base64').readBigInt64LE(32)), slot);
}

function isProgram({ method, params }: SeenSubscription, pubkey: string): boolean {
  return method === 'programSubscribe' && pubkey.startsWith(kindOf(params));
}

export function kindOf(params: readonly unknown[]): string {
  const { filters } = params[1] as { filters: readonly { dataSize?: number }[] };
  const size = filters.find(({ dataSize }) => dataSize !== undefined)?.dataSize ?? 0;
  return KIND_OF_SIZE[size] ?? 'none';
}
