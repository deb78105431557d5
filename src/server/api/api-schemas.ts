/**
 * The schemas of /openapi.json, in forms that generators of clients know: they name no type of an
 * anonymous member of a union, have none for a member that is always null, take a constant for a
 * text, and an integer for one of 32 bits.
 */
import type { TSchema } from '@sinclair/typebox';

/**
 * Maximum required members with an underscore: what typescript-fetch makes of more, each with a
 * second spelling, is too complex for TypeScript.
 */
const SNAKE_CASE_REQUIRED_MAX = 8;
const INT32_MAX = 2 ** 31 - 1;

type Json = Readonly<Record<string, unknown>>;

/** Returns the schemas of the bodies by name, with those of the members of their unions. */
export function componentsOf(bodies: Readonly<Record<string, TSchema>>): Json {
  const named = Object.entries(bodies).flatMap(([name, schema]) => nameMembers(name, schema));
  return Object.fromEntries(named.map(([name, schema]) => [name, describeSchema(schema)]));
}

/** Returns a schema; of a union also each member, as a schema of its own. */
function nameMembers(name: string, schema: TSchema): readonly (readonly [string, Json])[] {
  const { anyOf } = schema as { readonly anyOf?: readonly TSchema[] };
  if (anyOf === undefined) return [[name, schema]];
  const members = anyOf.map((member, at) => [`${name}Form${at + 1}`, member] as const);
  const refs = members.map(([member]) => ({ $ref: `#/components/schemas/${member}` }));
  return [[name, { ...schema, anyOf: refs }], ...members];
}

/** Returns a schema with the widths of its numbers, and without constants but texts. */
export function describeSchema(schema: Json): Json {
  const described = Object.entries(schema).flatMap(([key, value]) => {
    if (key === 'const' && typeof value !== 'string') return [];
    if (key === 'required') return [[key, requiredOf(value as readonly string[])]];
    return [[key, key === 'properties' ? describeMembers(value as Json) : describeValue(value)]];
  });
  return { ...formatOf(schema), ...Object.fromEntries(described) };
}

function describeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(describeValue);
  return typeof value === 'object' && value !== null ? describeSchema(value as Json) : value;
}

/** A number without a format has 32 bits in Go and Java. */
function formatOf({ type, maximum }: Json): Json {
  const types = [type].flat();
  if (types.includes('number')) return { format: 'double' };
  const isNarrow = typeof maximum === 'number' && maximum <= INT32_MAX;
  return types.includes('integer') && !isNarrow ? { format: 'int64' } : {};
}

function requiredOf(names: readonly string[]): readonly string[] {
  const others = names.filter((name) => !name.includes('_'));
  return names.length - others.length > SNAKE_CASE_REQUIRED_MAX ? others : names;
}

/** Describes members that are always null as texts or null. */
function describeMembers(members: Json): Json {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      const schema = describeSchema(member as Json);
      return [name, schema['type'] === 'null' ? { ...schema, type: ['string', 'null'] } : schema];
    }),
  );
}
