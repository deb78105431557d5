import { setTimeout as sleep } from 'node:timers/promises';
import { Keypair, Transaction } from '@solana/web3.js';
import { PROGRAM_ID } from '../bytes/keys.js';
import { SimError } from '../sim-error.js';
import type { ChainRpc } from './chain-rpc.js';
import { eventProgram } from './event-program.js';
import { instructionOf, type ProgramCall } from './program-call.js';

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
/** Pays the fees of more transactions than a chain lives to see. */
const PAYER_LAMPORTS = 1_000_000_000_000;
/** How long a blockhash is used; a node takes one for 150 slots, of which the shortest here last 20 ms. */
const BLOCKHASH_MS_MAX = 2_000;
/** Pause before a transaction's status is requested again. */
const STATUS_POLL_MS = 20;
/** What a node answers at once. */
const STATUSES_MAX = 256;
/** How long the slot of a transaction may be unknown: many slots. */
const STATUS_MS_MAX = 30_000;

/**
 * Signs transactions to the program and sees them run. Of two that are equal to the byte the chain
 * takes one: what must happen twice has to differ.
 */
export class TransactionSender {
  readonly #rpc: ChainRpc;
  readonly #payer: Keypair;
  #blockhash: { readonly text: string; readonly readMs: number } | undefined;
  #sent = 0;

  private constructor(rpc: ChainRpc, payer: Keypair) {
    this.#rpc = rpc;
    this.#payer = payer;
  }

  /** Writes the program over the exchange's id, and pays in what its transactions cost. */
  static async deployProgram(rpc: ChainRpc): Promise<TransactionSender> {
    const payer = Keypair.generate();
    await rpc.call('surfnet_writeProgram', [PROGRAM_ID, eventProgram().toString('hex'), 0]);
    await rpc.call('surfnet_setAccount', [
      payer.publicKey.toBase58(),
      { lamports: PAYER_LAMPORTS, owner: SYSTEM_PROGRAM, executable: false, data: '' },
    ]);
    return new TransactionSender(rpc, payer);
  }

  /** Transactions that the chain has run. */
  get sentCount(): number {
    return this.#sent;
  }

  /**
   * Sends a call and waits until it has taken effect; returns its signature. The chain tries it
   * first, and what would fail is refused with an error.
   */
  async sendCall(call: ProgramCall): Promise<string> {
    return await this.#send(call, { skipPreflight: false });
  }

  /** Sends a call that is not tried first: one that fails leaves its log, and nothing else. */
  async sendUntried(call: ProgramCall): Promise<string> {
    return await this.#send(call, { skipPreflight: true });
  }

  /**
   * The slots of transactions, when the chain has them: that is in the slot after theirs. Throws when
   * one has failed.
   */
  async slotsOf(signatures: readonly string[]): Promise<Map<string, number>> {
    const slots = new Map<string, number>();
    const deadlineMs = performance.now() + STATUS_MS_MAX;
    let missing = [...new Set(signatures)];
    while (missing.length > 0) {
      const asked = missing.slice(0, STATUSES_MAX);
      const readStatuses = await this.#statuses(asked);
      asked.forEach((signature, i) => {
        const status = readStatuses[i];
        if (status?.err) throw failedTransaction(signature, JSON.stringify(status.err));
        if (status) slots.set(signature, status.slot);
      });
      missing = missing.filter((signature) => !slots.has(signature));
      const late = missing[0];
      if (late === undefined || slots.has(late)) continue;
      if (performance.now() > deadlineMs)
        throw failedTransaction(late, `no slot in ${STATUS_MS_MAX} ms`);
      await sleep(STATUS_POLL_MS);
    }
    return slots;
  }

  async #send(call: ProgramCall, { skipPreflight }: { skipPreflight: boolean }): Promise<string> {
    const transaction = new Transaction({
      feePayer: this.#payer.publicKey,
      recentBlockhash: await this.#recentBlockhash(),
    });
    transaction.add(instructionOf(call));
    transaction.sign(this.#payer);
    const text = transaction.serialize().toString('base64');
    const config = { encoding: 'base64', skipPreflight, preflightCommitment: 'processed' };
    const signature = await this.#rpc.call<string>('sendTransaction', [text, config]);
    this.#sent += 1;
    return signature;
  }

  async #statuses(signatures: readonly string[]): Promise<readonly (Status | null)[]> {
    const answer = await this.#rpc.call<{ value: (Status | null)[] }>('getSignatureStatuses', [
      signatures,
    ]);
    return answer.value;
  }

  async #recentBlockhash(): Promise<string> {
    const nowMs = performance.now();
    if (this.#blockhash === undefined || nowMs - this.#blockhash.readMs > BLOCKHASH_MS_MAX) {
      const { value } = await this.#rpc.call<{ value: { blockhash: string } }>(
        'getLatestBlockhash',
        [{ commitment: 'processed' }],
      );
      this.#blockhash = { text: value.blockhash, readMs: nowMs };
    }
    return this.#blockhash.text;
  }
}

interface Status {
  readonly slot: number;
  readonly err: unknown;
}

function failedTransaction(signature: string, why: string): SimError {
  return new SimError('TRANSACTION_FAILED', `transaction ${signature} failed: ${why}`, {
    signature,
  });
}
