/** What the parts of the model of a NATS server say about messages. */

/** A message as the protocol has it; `headers` is its block of them with the empty line, if it has one. */
export interface NatsMessage {
  readonly subject: string;
  readonly reply: string;
  readonly headers: Buffer | null;
  readonly data: Buffer;
}

/** Whether a subject is one of a pattern with `*` and `>`. */
export function isOfSubject(subject: string, pattern: string): boolean {
  const [parts, wanted] = [subject.split('.'), pattern.split('.')];
  for (const [at, one] of wanted.entries()) {
    if (one === '>') return parts.length > at;
    if (at >= parts.length || (one !== '*' && one !== parts[at])) return false;
  }
  return parts.length === wanted.length;
}

/** A block of headers with a status, and with lines behind it. */
export function headersOf(status: string, lines: readonly string[] = []): Buffer {
  const first = status === '' ? 'NATS/1.0' : `NATS/1.0 ${status}`;
  return Buffer.from(`${[first, ...lines].join('\r\n')}\r\n\r\n`);
}
