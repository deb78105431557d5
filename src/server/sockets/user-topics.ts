/**
 * The open topics of the channel `user`. A topic is published in the turn in which its account is
 * written, and once an interval for what moves with the book: prices, places in queues, health. A
 * turn costs nothing for accounts that it does not write.
 */
import { LIMITS } from '../../config/limits.js';
import type { ReadAccounts, ReadWallet } from '../../contract/account-source.js';
import type { BookSource } from '../../contract/book-source.js';
import type { MarketStreamSource } from '../../contract/history-source.js';
import type { Timer } from '../../contract/timers.js';
import type { ClientAddresses } from '../admission/client-addresses.js';
import { SocketError } from '../transport/errors.js';
import { repeatCall } from '../transport/repeated-call.js';
import type { Publisher } from './publisher.js';
import { RingMemory } from './stream-ring.js';
import type { ResumableTopics } from './stream-topic.js';
import { UnheldAccounts } from './unheld-accounts.js';
import { UserTopic, userKeyOf } from './user-topic.js';
import { WalletAccounts } from './wallet-accounts.js';

/** The parts and settings of the topics of accounts. */
interface UserTopicsOptions {
  readonly book: Pick<BookSource, 'accounts' | 'epoch'>;
  readonly publisher: Publisher;
  /** Maximum number of topics. At the maximum, a new topic replaces an idle one. */
  readonly topicsMax: number;
  /** Called when accounts are new or gone. */
  readonly onOthers: () => void;
  /** Reads accounts that the book does not hold; without it they are refused. */
  readonly readAccounts?: ReadAccounts | undefined;
  /** Reads which accounts a wallet has; without it, it has those of the book. */
  readonly readWallet?: ReadWallet | undefined;
  /** The history, which tells what became of fills. */
  readonly history?: Pick<MarketStreamSource, 'join' | 'leave'> | undefined;
  readonly addresses?: Pick<ClientAddresses, 'limitKey'> | undefined;
}

/** Equal parts of an interval, in each of which a part of the topics is published. */
const PHASES = 5;

/** The open topics by account. */
export class UserTopics implements ResumableTopics {
  readonly publisher: Publisher;
  readonly #options: UserTopicsOptions;
  readonly #memory = new RingMemory();
  readonly #topics = new Map<string, UserTopic>();
  /** The topics of each phase. */
  readonly #phases = Array.from({ length: PHASES }, () => new Set<UserTopic>());
  readonly #unheld: UnheldAccounts | undefined;
  readonly #wallets: WalletAccounts;
  #phase = 0;
  #accounts = 0;
  #timer: Timer | undefined;

  constructor(options: UserTopicsOptions) {
    this.#options = options;
    this.publisher = options.publisher;
    const { book, readAccounts, readWallet = async () => [], publisher } = options;
    this.#wallets = new WalletAccounts(book.accounts, readWallet);
    this.#unheld = readAccounts && new UnheldAccounts(readAccounts, publisher.timers);
  }

  start(): void {
    const periodMs = LIMITS.userIntervalMs / PHASES;
    this.#timer = repeatCall(this.publisher.timers, periodMs, () => this.#publishPhase());
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Memory of the deltas for reconnecting readers. */
  get ringBytes(): number {
    return this.#memory.bytes;
  }

  /**
   * Adds a subscriber, which waits while an account outside the book is read. Throws
   * UNKNOWN_ACCOUNT for a wallet.
   */
  addSubscriber(account: string): UserTopic {
    const known = this.#topics.get(account);
    if (known?.refusal !== undefined) this.#closeTopic(known);
    const topic = this.#topics.get(account) ?? this.#openTopic(account);
    topic.subscribers += 1;
    return topic;
  }

  /** Returns the accounts of a wallet. Throws UNKNOWN_ACCOUNT for one that has none. */
  listAccounts(authority: string, ip: string): readonly string[] {
    return this.#wallets.listAccounts(authority, this.#options.addresses?.limitKey(ip));
  }

  /** Removes a subscriber. The topic stays open for some time. */
  removeSubscriber(topic: UserTopic): void {
    topic.subscribers -= 1;
    topic.idleSinceMs = this.publisher.timers.nowMs();
  }

  /** A reader of an earlier topic is never ahead: its number is a time that has passed. */
  isBehind(): boolean {
    return false;
  }

  /** After each turn: adds the topics of written accounts to the publisher. */
  addTurn(): void {
    if (this.#topics.size === 0) return;
    for (const account of this.#options.book.accounts.takeTouched()) {
      const topic = this.#topics.get(account);
      if (topic === undefined) continue;
      this.#noteWrite(topic);
      this.publisher.addDue(topic);
    }
  }

  #noteWrite(topic: UserTopic): void {
    topic.noteWrite();
    if (topic.isHeld) this.#unheld?.removeTopic(topic);
    else if (this.#unheld === undefined) topic.takeRead(null);
    else this.#unheld.addTopic(topic);
  }

  /** Adds a message of the history to the next delta of its topic. */
  noteTrade(key: string, message: string): void {
    const topic = this.#topics.get(key.slice(userKeyOf('').length));
    if (topic === undefined) return;
    this.#options.book.accounts.noteTrade(topic.account, message);
    if (this.publisher.addDue(topic)) this.publisher.publishDue();
  }

  /** Closes all topics. They must have no subscribers. */
  forgetTopics(): void {
    for (const topic of this.#topics.values()) this.#closeTopic(topic);
  }

  #publishPhase(): void {
    this.#phase = (this.#phase + 1) % PHASES;
    void this.#unheld?.readDue();
    void this.#wallets.readNext().then((isRead) => isRead && this.#options.onOthers());
    const idleMs = this.publisher.timers.nowMs() - LIMITS.ringMsMax;
    for (const topic of this.#phases[this.#phase] ?? []) {
      const isOver = topic.refusal !== undefined || topic.idleSinceMs < idleMs;
      if (topic.subscribers === 0 && isOver) this.#closeTopic(topic);
      else this.publisher.addDue(topic);
    }
    this.publisher.publishDue();
    if (this.#phase !== 0) return;
    this.#memory.expireChunks(idleMs);
    const { count } = this.#options.book.accounts;
    if (count !== this.#accounts) this.#options.onOthers();
    this.#accounts = count;
  }

  #openTopic(account: string): UserTopic {
    const { book, topicsMax } = this.#options;
    const { timers } = this.publisher;
    const topic = new UserTopic(account, { book, timers, memory: this.#memory });
    if (!topic.isHeld) {
      if (this.#unheld === undefined || book.accounts.ofAuthority(account).length > 0) {
        throw unknownAccount(account, book);
      }
      this.#unheld.addTopic(topic);
    }
    if (this.#topics.size >= topicsMax) {
      const idle = [...this.#topics.values()].find(({ subscribers }) => subscribers === 0);
      if (idle !== undefined) this.#closeTopic(idle);
    }
    this.#topics.set(account, topic);
    this.#options.history?.join(topic.key);
    this.#phases[this.#topics.size % PHASES]?.add(topic);
    return topic;
  }

  #closeTopic(topic: UserTopic): void {
    this.#topics.delete(topic.account);
    this.#unheld?.removeTopic(topic);
    this.#options.history?.leave(topic.key);
    for (const phase of this.#phases) phase.delete(topic);
    this.publisher.removeTopic(topic);
    topic.close();
  }
}

function unknownAccount(account: string, { accounts }: Pick<BookSource, 'accounts'>): SocketError {
  const owned = accounts.ofAuthority(account);
  const what =
    owned.length > 0
      ? `${account} is a wallet, whose accounts are ${owned.join(', ')}`
      : `the book holds no account ${account}`;
  return new SocketError('UNKNOWN_ACCOUNT', what);
}
