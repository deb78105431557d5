import { expect, test } from 'vitest';
import { FakeSource } from '../../../test/support/source-scene.js';
import type { SlotStatus } from '../../rpc/grpc/messages.js';
import { Random } from '../../sim/random.js';
import type { SourceUpdate } from '../model/feed-source.js';
import { Member } from './member.js';
import { WriteLedger } from './write-ledger.js';

const ACCOUNTS = ['a', 'b', 'c', 'd', 'e'];

function newWrite(pubkey: string, slot: number, writeVersion: number, data = ''): SourceUpdate {
  const text = data === '' ? `${pubkey}${slot}.${writeVersion}` : data;
  return {
    ...{ kind: 'user', pubkey, owner: 'p', slot, data: text, encoding: 'bytes', closed: false },
    writeVersion,
  };
}

/** A ledger and a book that applies its changes. */
class LedgerBook {
  readonly book = new Map<string, string>();
  readonly ledger: WriteLedger;
  readonly lost: string[] = [];
  readonly #members: readonly Member[];

  constructor(sources = 1, bytesMax?: number) {
    this.#members = Array.from({ length: sources }, (_, index) => {
      const member = new Member(new FakeSource('grpc', `host${index}`), index);
      member.counts = true;
      return member;
    });
    const listener = {
      onState: ({ pubkey, data }: SourceUpdate) => void this.book.set(pubkey, data),
      onNews: () => undefined,
    };
    this.ledger = new WriteLedger(this.#members, listener, bytesMax);
  }

  notify(update: SourceUpdate, source = 0): void {
    this.ledger.recordWrite(this.#memberAt(source), update, 0);
  }

  notifySlot(slot: number, status: SlotStatus, parent: number | null = slot - 1, source = 0): void {
    const member = this.#memberAt(source);
    if (status === 'dead') this.ledger.recordDead(member, slot);
    else this.ledger.reviewSlots(member.chain.recordSlot(slot, parent));
    for (const { pubkey } of this.ledger.takeLost()) {
      this.book.delete(pubkey);
      this.lost.push(pubkey);
    }
  }

  #memberAt(source: number): Member {
    const member = this.#members[source];
    if (member === undefined) throw new Error('Invariant: there is such a source');
    return member;
  }
}

/** A random tree of slots with parents and writes; some slots are dead, and the last slot is on the chain. */
function makeTree(random: Random) {
  const slots = [{ slot: 1, parent: 0, isDead: false }];
  for (let slot = 2; slot <= 30; slot += 1) {
    if (random.nextBelow(8) === 0) continue;
    const alive = slots.filter(({ isDead }) => !isDead).slice(-3);
    const parent = alive[random.nextBelow(alive.length)]?.slot ?? 1;
    slots.push({ slot, parent, isDead: random.nextBelow(5) === 0 });
  }
  const last = slots.filter(({ isDead }) => !isDead).at(-1);
  if (last === undefined) throw new Error('Invariant: the first slot is alive');
  let version = 0;
  const writes = slots.flatMap(({ slot }) =>
    Array.from({ length: random.nextBelow(6) }, () => {
      version += 1;
      return newWrite(ACCOUNTS[random.nextBelow(ACCOUNTS.length)] ?? '', slot, version);
    }),
  );
  return { slots, writes, tip: last.slot };
}

/** Each account's last write in the tip's ancestors. */
function modelOf({ slots, writes, tip }: ReturnType<typeof makeTree>): Map<string, string> {
  const chain = new Set<number>();
  for (let at = tip; at > 0; at = slots.find(({ slot }) => slot === at)?.parent ?? 0) chain.add(at);
  const book = new Map<string, string>();
  for (const { pubkey, slot, data } of writes) if (chain.has(slot)) book.set(pubkey, data);
  return book;
}

test('ledger: 1,000 trees of slots with dead ones, notified late and twice, equal the model', () => {
  for (let seed = 1; seed <= 1_000; seed += 1) {
    const random = new Random(seed);
    const tree = makeTree(random);
    const follower = new LedgerBook();
    const steps = [
      ...tree.slots.map(({ slot, parent, isDead }) => {
        const run = (): void => follower.notifySlot(slot, isDead ? 'dead' : 'processed', parent);
        return { at: slot + 1, run };
      }),
      ...tree.writes.flatMap((update) => {
        const times = 1 + random.nextBelow(2);
        return Array.from({ length: times }, () => {
          return {
            at: update.slot + random.nextBelow(400) / 100,
            run: () => follower.notify(update),
          };
        });
      }),
    ];
    for (const { run } of steps.sort((one, other) => one.at - other.at)) run();
    expect([...follower.book].sort(), `seed ${seed}`).toEqual([...modelOf(tree)].sort());
  }
});

test('ledger: an account goes back to what stood before, also to what is final', () => {
  const follower = new LedgerBook();
  follower.notify(newWrite('a', 1, 1));
  follower.notifySlot(1, 'processed');
  follower.ledger.recordProgress(1);
  for (const slot of [2, 3]) follower.notify(newWrite('a', slot, slot));
  follower.notifySlot(3, 'dead');
  expect(follower.book.get('a')).toBe('a2.2');
  follower.notifySlot(2, 'dead');
  expect(follower.book.get('a')).toBe('a1.1');
  // Late writes of a dead slot are ignored, and so are writes older than a final state.
  follower.notify(newWrite('a', 2, 9));
  follower.notify(newWrite('a', 0, 10));
  expect(follower.book.get('a')).toBe('a1.1');
  expect(follower.lost).toEqual([]);
});

test('ledger: what is dropped for its size is lost when its slot dies, and never goes back by itself', () => {
  const follower = new LedgerBook(1, 1_000);
  for (let slot = 1; slot <= 40; slot += 1) {
    follower.notify(newWrite('a', slot, slot, 'x'.repeat(30)));
    follower.notifySlot(slot, 'processed');
  }
  expect(follower.ledger.bytes).toBeLessThanOrEqual(1_330);
  follower.notifySlot(40, 'dead');
  follower.notifySlot(39, 'dead');
  follower.notifySlot(38, 'dead');
  expect(follower.lost).toContain('a');
});

test('ledger: of two sources the first wins, the other confirms, and neither takes the book back', () => {
  const follower = new LedgerBook(2);
  follower.notify(newWrite('a', 5, 10, 'one'), 0);
  follower.notify(newWrite('a', 5, 900, 'one'), 1);
  follower.notify(newWrite('a', 5, 901, 'two'), 1);
  expect(follower.book.get('a')).toBe('two');
  follower.notify(newWrite('a', 5, 11, 'two'), 0);
  follower.notify(newWrite('a', 5, 12, 'one'), 0);
  expect(follower.book.get('a')).toBe('one');
  // The other source is late: it reports an earlier state.
  follower.notify(newWrite('a', 5, 902, 'one'), 1);
  expect(follower.book.get('a')).toBe('one');
  follower.notify(newWrite('a', 4, 903, 'late'), 1);
  expect(follower.book.get('a')).toBe('one');
  // The slot is dead for one source only.
  follower.notifySlot(5, 'processed', 4, 1);
  follower.notifySlot(5, 'dead', 4, 0);
  expect(follower.book.get('a')).toBe('one');
  follower.notifySlot(5, 'dead', 4, 1);
  expect(follower.book.get('a')).toBe('late');
});
