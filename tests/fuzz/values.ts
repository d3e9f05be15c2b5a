import type { JsonSchema } from '@alpenglow/domain/api';
import fc from 'fast-check';
import { apiDocument } from '../support/api-document.ts';

/** Generates valid, nearly valid and hostile values for requests. */

/** Placeholder for a value of the running product, such as the id of an ad. `World` replaces it by a value. */
export class Placeholder {
  constructor(
    readonly kind: PlaceholderKind,
    /** Random number that selects one of the known values. */
    readonly pick: number,
  ) {}
}
export type PlaceholderKind =
  | 'ad'
  | 'case'
  | 'report'
  | 'decision'
  | 'rule'
  | 'receipt'
  | 'event'
  | 'article'
  | 'thread'
  | 'post-number'
  | 'subject'
  | 'words'
  | 'user'
  | 'disposable-user'
  | 'media'
  | 'email'
  | 'verification'
  | 'cursor'
  | 'position'
  | 'etag'
  | 'idempotency-key';

export const placeholder = (kind: PlaceholderKind): fc.Arbitrary<Placeholder> =>
  fc.nat(1_000_000).map((pick) => new Placeholder(kind, pick));

const HOSTILE_TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfffy',
  '\uffff',
  '\u202eabc',
  '\u200b',
  '👩‍👩‍👧‍👦',
  'ſ',
  'İ',
  'ß',
  '\r\nX-Injected: 1',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'true',
  '[object Object]',
  '../../etc/passwd',
  '..%2f..%2f',
  '/',
  '//',
  '\\',
  '.',
  '..',
  '%',
  '%00',
  '%zz',
  "' or 1=1 --",
  '"; drop table es.events; --',
  '$1',
  '\\x00',
  '<script>alert(1)</script>',
  '${7*7}',
  '{{7*7}}',
  '-1',
  '0',
  '1e309',
  '-0',
  '9007199254740993',
  '99999999999999999999',
  '1_000',
  '0x10',
  'infinity',
  '0000-01-01T00:00:00.000Z',
  '9999-99-99',
  '+275760-09-13T00:00:00.001Z',
] as const;

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code)),
      maxLength: 5,
    }),
  },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 4_000 }).map((length) => 'a'.repeat(length)) },
);

/** Returns arrays that are nested `depth` times. */
function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  {
    weight: 4,
    arbitrary: fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      -1,
      -0,
      1.5,
      1e308,
      -1e308,
      5e-324,
      2 ** 31,
      2 ** 53 + 2,
      [],
      {},
      [null],
      [[]],
      [{}],
      { length: -1 },
      { toString: 1 },
      { then: 1 },
    ),
  },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: 2_000 }).map(nested) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** Returns the schema that a reference points to. */
export function resolveSchema(schema: JsonSchema): JsonSchema {
  const ref = schema['$ref'];
  if (typeof ref !== 'string') return schema;
  const target = ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], apiDocument);
  return resolveSchema(target as JsonSchema);
}

const list = (value: unknown): readonly JsonSchema[] => (Array.isArray(value) ? (value as readonly JsonSchema[]) : []);
const numberOf = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);

/** Returns the properties of an object schema, including the properties of schemas that it combines. */
export function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  const own = resolveSchema(schema);
  return Object.assign({}, ...list(own['allOf']).map(propertiesOf), own['properties'] ?? {}) as Record<
    string,
    JsonSchema
  >;
}

/** Generators of texts by pattern. They are cached, because creating them is slow. */
const matching = new Map<string, fc.Arbitrary<string>>();
function textLike(pattern: string): fc.Arbitrary<string> {
  const made = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' });
  matching.set(pattern, made);
  return made;
}

function text(schema: JsonSchema): fc.Arbitrary<string> {
  const { pattern, format } = schema;
  const [min, max] = [numberOf(schema['minLength'], 0), numberOf(schema['maxLength'], 60)];
  if (format === 'email') return fc.oneof(fc.emailAddress(), placeholder('email') as fc.Arbitrary<never>);
  // The generator does not support Unicode properties, so plain words are generated for such patterns.
  if (typeof pattern === 'string' && !pattern.includes('\\p{')) return textLike(pattern);
  const loremText = fc.lorem({ maxCount: 6 }).map((some) => some.slice(0, max));
  return fc.oneof(
    loremText.filter((some) => some.length >= min),
    fc.string({ unit: 'grapheme', minLength: min, maxLength: Math.min(max, 80) }),
    fc.constant('x'.repeat(max)),
  );
}

/** Generates values that are valid for a schema. */
export function valid(reference: JsonSchema): fc.Arbitrary<unknown> {
  const schema = resolveSchema(reference);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as readonly unknown[]));
  if (schema['const'] !== undefined) return fc.constant(schema['const']);
  if (Array.isArray(schema['anyOf'])) return fc.oneof(...list(schema['anyOf']).map(valid));
  if (schema['properties'] !== undefined || schema['allOf'] !== undefined) return object(schema);
  switch (schema['type']) {
    case 'string':
      return text(schema);
    case 'integer':
      return fc.integer({ min: numberOf(schema['minimum'], -1000), max: numberOf(schema['maximum'], 1000) });
    case 'number':
      return fc.double({ min: numberOf(schema['minimum'], -1e6), max: numberOf(schema['maximum'], 1e6), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valid((schema['items'] ?? {}) as JsonSchema), {
        minLength: numberOf(schema['minItems'], 0),
        maxLength: numberOf(schema['maxItems'], 4),
      });
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function object(schema: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const properties = propertiesOf(schema);
  const required = [...list(schema['allOf']).map(resolveSchema), schema].flatMap(
    (part) => list(part['required']) as unknown as readonly string[],
  );
  return fc.record(Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, valid(property)])), {
    requiredKeys: required,
  });
}

/**
 * Generates values that violate a schema slightly. For example, a value exceeds a limit by one, has another type, or is
 * missing.
 */
export function nearlyValid(reference: JsonSchema): fc.Arbitrary<unknown> {
  const schema = resolveSchema(reference);
  const outOfRange: unknown[] = [];
  const { maxLength, minLength, maximum, minimum, maxItems } = schema;
  if (typeof maxLength === 'number') outOfRange.push('x'.repeat(maxLength + 1));
  if (typeof minLength === 'number') outOfRange.push('x'.repeat(Math.max(0, minLength - 1)));
  if (typeof maximum === 'number') outOfRange.push(maximum + 1, String(maximum));
  if (typeof minimum === 'number') outOfRange.push(minimum - 1, minimum + 0.5);
  if (typeof maxItems === 'number') outOfRange.push(Array.from({ length: maxItems + 1 }, () => 'x'));
  return fc.oneof(...(outOfRange.length > 0 ? [fc.constantFrom(...outOfRange)] : []), hostileValue);
}
