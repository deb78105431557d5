/** What a run records, as text that is the same in each process. */

export function textOfBody(body: unknown): string {
  return String(body instanceof Uint8Array ? Buffer.from(body) : body);
}

/** The fields of a line of the service's log. */
export function textOf(fields: unknown): string {
  const text = JSON.stringify(fields, (_, value: unknown) => {
    return value instanceof Error ? `${value.name}: ${value.message}` : value;
  });
  // Its folder is another one in each process.
  return text.replaceAll(/[^ "]*slotbook-simulation-[^ "/]*/g, 'disk');
}
