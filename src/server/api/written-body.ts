/** Bodies that are written by their schemas, which name their members in their order. */
import type { TObject } from '@sinclair/typebox';

/**
 * Returns the members of a schema with the values of the same names; a member that has one possible
 * value has it by itself. JSON leaves out those without a value.
 */
export function bodyOf(
  { properties }: Pick<TObject, 'properties'>,
  source: object,
): Record<string, unknown> {
  const values = source as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(properties).map(([name, { const: literal, enum: words }]) => {
      const [word, ...others] = Array.isArray(words) ? words : [];
      return [name, literal ?? (others.length === 0 ? word : undefined) ?? values[name]];
    }),
  );
}
