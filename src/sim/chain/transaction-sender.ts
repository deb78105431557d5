import { Keypair, Transaction } from '@solana/web3.js';
import { PROGRAM_ID } from '../bytes/keys.js';
import type { ChainRpc } from './chain-rpc.js';
import { eventProgram } from './event-program.js';
import { instructionOf, type ProgramCall } from './program-call.js';

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
/** The balance of the payer, for more transactions than a chain ever executes. */
const PAYER_LAMPORTS = 1_000_000_000_000;
/**
 * Time for which a blockhash is used; a node accepts one for 150 slots, which last at least 20 ms
 * each.
 */
const BLOCKHASH_MS_MAX = 2_000;

/**
 * Signs transactions, sends them to the program, and waits for them. The chain deduplicates
 * identical transactions, so repeated ones are made to differ.
 */
export class TransactionSender {
  readonly #rpc: ChainRpc;
  readonly #programId: string;
  readonly #payer: Keypair;
  #blockhash: { readonly text: string; readonly readMs: number } | undefined;
  #sent = 0;

  private constructor(rpc: ChainRpc, programId: string, payer: Keypair) {
    this.#rpc = rpc;
    this.#programId = programId;
    this.#payer = payer;
  }

  /** Deploys the program under an id, and funds its fees. */
  static async deployProgram(
    rpc: ChainRpc,
    programId: string = PROGRAM_ID,
  ): Promise<TransactionSender> {
    const payer = Keypair.generate();
    await rpc.call('surfnet_writeProgram', [programId, eventProgram().toString('hex'), 0]);
    await rpc.call('surfnet_setAccount', [
      payer.publicKey.toBase58(),
      { lamports: PAYER_LAMPORTS, owner: SYSTEM_PROGRAM, executable: false, data: '' },
    ]);
    return new TransactionSender(rpc, programId, payer);
  }

  get sentCount(): number {
    return this.#sent;
  }

  /**
   * Sends a call and waits for its effect; resolves with its signature. The chain simulates the
   * call first, and rejects a failing call with an error; without preflight such a call leaves only
   * its log.
   */
  async sendCall(call: ProgramCall, { skipPreflight = false } = {}): Promise<string> {
    const transaction = new Transaction({
      feePayer: this.#payer.publicKey,
      recentBlockhash: await this.#recentBlockhash(),
    });
    transaction.add(instructionOf(call, this.#programId));
    transaction.sign(this.#payer);
    const text = transaction.serialize().toString('base64');
    const config = { encoding: 'base64', skipPreflight, preflightCommitment: 'processed' };
    const signature = await this.#rpc.call<string>('sendTransaction', [text, config]);
    this.#sent += 1;
    return signature;
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
