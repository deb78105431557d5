/** A Yellowstone gRPC server of the model network: it notifies the model chain, as badly as its faults say. */
import type { SlotStatus } from '../../src/rpc/grpc/messages.js';
import { Random } from '../../src/sim/random.js';
import { encodeAccount, encodePong, encodeSlot, readRequest } from '../support/grpc-messages.js';
import type { GrpcHost, HostCall } from './grpc-network.js';
import {
  type AccountState,
  type ChainListener,
  type ModelChain,
  madeUpUser,
} from './model-chain.js';

/** What is wrong with a server; shares are of its accounts, 0 to 1. */
export interface GrpcFaults {
  /** The host refuses connections, and has cut those that were open. */
  isDown: boolean;
  /** Nothing is sent, not even pongs, over connections that stand: they are half open. */
  isDeaf: boolean;
  /** Accounts of which it notifies nobody. */
  lost: number;
  doubled: number;
  /** Accounts of which it notifies an earlier state as the present one. */
  lied: number;
  /** Messages that cannot be read. */
  malformed: number;
  /** What becomes of a request for an earlier slot. */
  replay: 'kept' | 'refused' | 'ignored';
  /** Slots are told so far ahead, as are those of accounts. */
  slotsAhead: number;
  /** Notifications are so late. */
  extraDelayMs: number;
  /** In each slot it notifies of a user that the chain never had. */
  makesUp: boolean;
}

/** A server without a fault. */
export function soundServer(): GrpcFaults {
  return {
    isDown: false,
    isDeaf: false,
    ...{ lost: 0, doubled: 0, lied: 0, malformed: 0 },
    replay: 'kept',
    ...{ slotsAhead: 0, extraDelayMs: 0, makesUp: false },
  };
}

/** One message with its slot, as it is notified and notified again. */
interface Notified {
  readonly slot: number;
  readonly bytes: Buffer;
  /** Of an account; empty for a slot. */
  readonly owner: string;
  readonly pubkey: string;
}

interface Reader {
  owners: readonly string[];
  keys: readonly string[];
}

/** One way through the network. */
const DELAY_MS_MIN = 2;
const DELAY_MS_MAX = 40;
/** Slots that are kept for readers that come back. */
const KEPT_SLOTS = 150;
/** Slots behind the newest one that are confirmed, and final: no fork of a run goes back as far. */
const CONFIRMED_SLOTS = 8;
const FINAL_SLOTS = 31;
const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const OUT_OF_RANGE = 11;
const UNAVAILABLE = 14;
/** A field whose length is beyond the message. */
const UNREADABLE = Buffer.from([0x12, 0x7f, 0x01]);

/** One server. */
export class ModelGrpc implements GrpcHost, ChainListener {
  readonly name: string;
  faults: GrpcFaults = soundServer();
  readonly #chain: ModelChain;
  readonly #random: Random;
  readonly #readers = new Map<HostCall, Reader>();
  #notified: Notified[] = [];
  #version = 0;
  /** What goes back with a fork is no write: its slots are dead. */
  #isForking = false;
  /** The slots of the chain that are not final, oldest first. */
  #slots: number[] = [];
  #confirmed = 0;

  constructor(options: { name: string; chain: ModelChain; seed: number }) {
    this.name = options.name;
    this.#chain = options.chain;
    this.#random = new Random(options.seed);
    this.#chain.listen(this);
  }

  /** Cuts all connections. */
  cutConnections(): void {
    for (const call of [...this.#readers.keys()]) call.end(UNAVAILABLE, 'the connection was reset');
    this.#readers.clear();
  }

  delayMs(): number {
    return this.#random.nextBetween(DELAY_MS_MIN, DELAY_MS_MAX) + this.faults.extraDelayMs;
  }

  handleConnect(): 'open' | 'refuse' | 'hang' {
    if (this.faults.isDown) return 'refuse';
    return this.faults.isDeaf ? 'hang' : 'open';
  }

  handleClose(call: HostCall): void {
    this.#readers.delete(call);
  }

  handleRequest(call: HostCall, bytes: Buffer): void {
    if (this.faults.isDeaf) return;
    const { ping, owners, keys, fromSlot } = readRequest(bytes);
    if (ping !== null) {
      call.send(encodePong(ping));
      return;
    }
    const reader = { owners, keys };
    this.#readers.set(call, reader);
    if (fromSlot !== null) this.#replayFrom(call, reader, fromSlot);
  }

  handleDeadSlots(first: number, last: number): void {
    this.#isForking = true;
    this.#slots = this.#slots.filter((slot) => slot < first);
    for (let slot = first; slot <= last; slot += 1) this.#notifySlot(slot, 'dead', null);
  }

  handleFork(): void {
    this.#isForking = false;
  }

  handleSlot(slot: number, ended: number, parent: number): void {
    if (this.#slots.at(-1) === ended) this.#notifySlot(ended, 'processed', null);
    this.#notifySlot(slot, 'begun', parent);
    const madeUp = this.faults.makesUp ? madeUpUser(this.#chain, this.#random) : null;
    if (madeUp !== null) this.handleState(madeUp);
    this.#slots.push(slot);
    for (const one of this.#slots) {
      if (one <= this.#confirmed || one > slot - CONFIRMED_SLOTS) continue;
      this.#confirmed = one;
      this.#notifySlot(one, 'confirmed', null);
    }
    while ((this.#slots[0] ?? slot) <= slot - FINAL_SLOTS)
      this.#notifySlot(this.#slots.shift() ?? slot, 'finalized', null);
    const kept = slot - KEPT_SLOTS;
    if ((this.#notified[0]?.slot ?? slot) < kept - KEPT_SLOTS)
      this.#notified = this.#notified.filter((one) => one.slot >= kept);
  }

  handleState(state: AccountState): void {
    if (this.#isForking) return;
    const { lost, doubled, lied, malformed } = this.faults;
    this.#version += 1;
    const chance = this.#random.nextBelow(1_000_000) / 1_000_000;
    if (chance < lost) return;
    const told = chance < lost + lied ? (state.before?.write ?? state.write) : state.write;
    const write = told ?? state.before?.write;
    if (write == null) return;
    const { pubkey } = write;
    // A closed account is no longer the program's, and a filter by owner leaves it out.
    const owner = told === null ? SYSTEM_PROGRAM : write.owner;
    const slot = state.slot + this.faults.slotsAhead;
    const bytes = encodeAccount({
      ...{ pubkey, owner, slot, version: this.#version },
      bytes: told === null ? null : told.data,
    });
    const notified = { slot, bytes, owner, pubkey };
    this.#notifyReaders(notified);
    if (chance < lost + lied + doubled && chance >= lost + lied) this.#notifyReaders(notified);
    if (chance > 1 - malformed) this.#sendToAll(UNREADABLE);
  }

  #notifySlot(slot: number, status: SlotStatus, parent: number | null): void {
    const told = slot + this.faults.slotsAhead;
    const bytes = encodeSlot({
      ...{ slot: told, status },
      parent: parent === null ? null : parent + this.faults.slotsAhead,
    });
    this.#notifyReaders({ slot: told, bytes, owner: '', pubkey: '' });
  }

  #notifyReaders(notified: Notified): void {
    this.#notified.push(notified);
    if (this.faults.isDeaf) return;
    for (const [call, reader] of this.#readers)
      if (wantsMessage(reader, notified)) call.send(notified.bytes);
  }

  #sendToAll(bytes: Buffer): void {
    if (this.faults.isDeaf) return;
    for (const call of this.#readers.keys()) call.send(bytes);
  }

  #replayFrom(call: HostCall, reader: Reader, fromSlot: number): void {
    const { replay } = this.faults;
    if (replay === 'ignored') return;
    const first = this.#chain.slot - KEPT_SLOTS;
    if (replay === 'refused' || fromSlot < first) {
      this.#readers.delete(call);
      call.end(OUT_OF_RANGE, `from_slot is not available, last available: ${first}`);
      return;
    }
    for (const notified of this.#notified) {
      if (notified.slot >= fromSlot && wantsMessage(reader, notified)) call.send(notified.bytes);
    }
  }
}

function wantsMessage({ owners, keys }: Reader, { owner, pubkey }: Notified): boolean {
  return pubkey === '' || owners.includes(owner) || keys.includes(pubkey);
}
