/** The parameters that name a past moment, in addition to a path's own parameters. */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { AsOfMoment } from '../../contract/as-of-source.js';
import { ServerError } from '../transport/errors.js';
import { missingParamError } from './market-params.js';
import { checkParams, splitQuery } from './param-check.js';
import type { TextFormat } from './param-parts.js';
import { wholeSchema } from './param-parts.js';

/** The parameters of each path that also serves past books. */
export const momentParams = Type.Object({
  slot: Type.Optional(
    wholeSchema(
      { min: 0, max: Number.MAX_SAFE_INTEGER },
      'The book after the last turn of at most this slot; without any of these four, that of now.',
    ),
  ),
  ts: Type.Optional(
    wholeSchema(
      { min: 0, max: LIMITS.unixSecondsMax * 1_000 },
      'The book after the last turn of at most this time, unix milliseconds.',
    ),
  ),
  epoch: Type.Optional(
    Type.String({
      format: 'epoch' satisfies TextFormat,
      description: 'The run of the book that is meant, as bodies name it; needed with seq.',
    }),
  ),
  seq: Type.Optional(
    wholeSchema(
      { min: 0, max: Number.MAX_SAFE_INTEGER },
      'The book when the market came to this sequence number; not for a batch.',
    ),
  ),
});

const NAMES = ['slot', 'ts', 'seq'] as const;

/**
 * Cheap test whether a query may name a moment; a percent code may hide a parameter name, so it
 * counts too.
 */
const MAYBE = /(?:^|&)(?:slot|ts|epoch|seq)(?:=|&|$)|%/;

/**
 * Returns the moment that a query names; undefined for the present. Throws a ServerError that names
 * the wrong parameter.
 */
export function parseMoment(raw: string): AsOfMoment | undefined {
  if (!MAYBE.test(raw)) return undefined;
  const texts = splitQuery(raw, momentParams.properties);
  if (texts.size === 0) return undefined;
  const params = checkParams(momentParams, texts);
  const [by, ...others] = NAMES.filter((name) => params[name] !== undefined);
  const { epoch } = params;
  if (by === undefined) {
    throw missingParamError('seq', 'epoch was given alone, must be given with seq, slot or ts');
  }
  const [other] = others;
  if (other !== undefined) {
    const message = `${other} was given together with ${by}, must be given alone`;
    throw new ServerError('INVALID_PARAM', message, other);
  }
  if (by === 'seq' && epoch === undefined) {
    throw missingParamError('epoch', 'epoch is missing: seq needs it');
  }
  const value = params[by] ?? 0;
  return epoch === undefined ? { by, value } : { by, value, epoch };
}
