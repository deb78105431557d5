import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { EVENT_BYTES_MAX } from '../bytes/account-bytes.js';
import { PROGRAM_ID } from '../bytes/keys.js';
import { STEP } from './event-program.js';

/** Changed bytes in an account's data. */
export interface Patch {
  readonly pubkey: string;
  readonly offset: number;
  readonly bytes: Buffer;
}

/** How an event is logged: `data` by `emit!`, `base64` by `emit_stack`, `text` by `msg!`. */
type LogForm = 'data' | 'base64' | 'text';

/** A logged event of the program. */
export interface LoggedEvent {
  readonly form: LogForm;
  readonly bytes: Buffer;
}

/** One transaction: its changes of program accounts, and its logged events in order. */
export interface ProgramCall {
  readonly patches: readonly Patch[];
  readonly events: readonly LoggedEvent[];
  /** The outcome; a failure is the last step and reverts the changes. Success by default. */
  readonly outcome?: 'success' | 'failure';
}

const PIECE_BYTES_MAX = 255;
const KEY_BYTES = 32;
const LOG_STEP = { data: STEP.logData, base64: STEP.logBase64, text: STEP.logText } as const;

/**
 * Encodes the call as an instruction. Event keys that are accounts of the call are written as
 * references, so that two fills fit into one transaction.
 */
export function instructionOf(
  { patches, events, outcome }: ProgramCall,
  programId: string = PROGRAM_ID,
): TransactionInstruction {
  const keys = [...new Set(patches.map(({ pubkey }) => pubkey))];
  const script = [
    ...patches.flatMap((patch) => patchSteps(patch, keys.indexOf(patch.pubkey))),
    ...events.flatMap((event) => eventSteps(event, keys)),
    ...(outcome === 'failure' ? [Buffer.from([STEP.fail])] : []),
  ];
  return {
    programId: new PublicKey(programId),
    keys: keys.map((key) => ({ pubkey: new PublicKey(key), isSigner: false, isWritable: true })),
    data: Buffer.concat(script),
  };
}

/**
 * Returns the patches from `before` to `after`, which have equal lengths. Changes that are closer
 * together than a patch header are merged.
 */
export function patchesBetween(
  pubkey: string,
  { before, after }: { readonly before: Buffer; readonly after: Buffer },
): Patch[] {
  const patches: { from: number; to: number }[] = [];
  for (let at = 0; at < after.length; at += 1) {
    if (before[at] === after[at]) continue;
    const last = patches.at(-1);
    if (last !== undefined && at - last.to <= PATCH_HEAD_BYTES) last.to = at + 1;
    else patches.push({ from: at, to: at + 1 });
  }
  return patches.map(({ from, to }) => {
    return { pubkey, offset: from, bytes: after.subarray(from, to) };
  });
}

const PATCH_HEAD_BYTES = 5;

function patchSteps({ offset, bytes }: Patch, account: number): Buffer[] {
  return splitPatch(bytes).map(({ at, piece }) => {
    const head = Buffer.from([STEP.patch, account, piece.length, 0, 0]);
    head.writeUInt16LE(offset + at, 3);
    return Buffer.concat([head, piece]);
  });
}

function eventSteps({ form, bytes }: LoggedEvent, keys: readonly string[]): Buffer[] {
  if (bytes.length > EVENT_BYTES_MAX) {
    throw new RangeError(`event of ${bytes.length} bytes, must be at most ${EVENT_BYTES_MAX}`);
  }
  const steps: Buffer[] = [];
  let from = 0;
  const addBytes = (to: number): void => {
    for (const { piece } of splitPatch(bytes.subarray(from, to))) {
      steps.push(Buffer.from([STEP.bytes, piece.length]), piece);
    }
  };
  for (const { at, account } of keyPlaces(bytes, keys)) {
    addBytes(at);
    steps.push(Buffer.from([STEP.key, account]));
    from = at + KEY_BYTES;
  }
  addBytes(bytes.length);
  return [...steps, Buffer.from([LOG_STEP[form]])];
}

/** The positions of account keys in an event, in order. */
function keyPlaces(bytes: Buffer, keys: readonly string[]): { at: number; account: number }[] {
  return keys
    .flatMap((key, account) => {
      const at = bytes.indexOf(new PublicKey(key).toBytes());
      return at < 0 ? [] : [{ at, account }];
    })
    .sort((a, b) => a.at - b.at);
}

function splitPatch(bytes: Buffer): { at: number; piece: Buffer }[] {
  const count = Math.ceil(bytes.length / PIECE_BYTES_MAX);
  return Array.from({ length: count }, (_, i) => {
    const at = i * PIECE_BYTES_MAX;
    return { at, piece: bytes.subarray(at, at + PIECE_BYTES_MAX) };
  });
}
