/** Reads of accounts as they were: one that a node refuses fails all others. */
export function readAround<Value>(
  _node: unknown,
  { keys }: { readonly keys: readonly string[] },
  read: (keys: readonly string[]) => Promise<Value>,
): Promise<Value> {
  return read(keys);
}
