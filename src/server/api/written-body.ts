/** Writes a body with the members of its schema, in the order of the schema. */
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
