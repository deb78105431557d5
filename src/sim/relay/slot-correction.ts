/**
 * Bytes at the start of a message in which `context` is searched; Solana servers write it before
 * the account's data.
 */
const HEAD_BYTES = 256;

const CONTEXT_SLOT = /"context":\{(?:"apiVersion":"[^"]*",)?"slot":(\d+)/;
const ACCOUNT_NOTIFICATION = /"method":"(?:account|program)Notification"/;
const ACKNOWLEDGEMENT = /"result":\d+[,}]/;
const SLOT_NOTIFICATION = /"method":"slotNotification".*"slot":(\d+)/;

/** Returns the slot of a slotNotification; undefined for other messages. */
export function announcedSlot(message: Buffer): number | undefined {
  if (message.length > HEAD_BYTES) return undefined;
  const slot = SLOT_NOTIFICATION.exec(headText(message))?.[1];
  return slot === undefined ? undefined : Number(slot);
}

/**
 * Returns the `context.slot` at the start of a response or notification; undefined when there is
 * none.
 */
export function contextSlot(message: Buffer): number | undefined {
  const slot = CONTEXT_SLOT.exec(headText(message))?.[1];
  return slot === undefined ? undefined : Number(slot);
}

/** Whether the message is an accountNotification or a programNotification. */
export function isAccountNotification(message: Buffer): boolean {
  return ACCOUNT_NOTIFICATION.test(headText(message));
}

/** Returns whether the message acknowledges a subscription: only then its result is a number. */
export function isAcknowledgement(message: Buffer): boolean {
  return message.length <= HEAD_BYTES && ACKNOWLEDGEMENT.test(headText(message));
}

/**
 * Replaces the context slot of an account or program notification, and no other byte. A message
 * without a context at its start is returned unchanged.
 */
export function withContextSlot(message: Buffer, slot: number): Buffer {
  const match = CONTEXT_SLOT.exec(headText(message));
  const digits = match?.[1];
  if (match === null || digits === undefined) return message;
  const end = match.index + match[0].length;
  return Buffer.concat([
    message.subarray(0, end - digits.length),
    Buffer.from(String(slot)),
    message.subarray(end),
  ]);
}

/** Returns the first bytes as Latin-1 text, so that indexes into text and bytes are the same. */
function headText(message: Buffer): string {
  return message.toString('latin1', 0, HEAD_BYTES);
}
