import type { JsonSchema } from './openapi.ts';

/** Shortens the JSON Schemas of responses by removing repetition. The short schemas accept the same values. */

type Schemas = Readonly<Record<string, JsonSchema>>;

/**
 * Minimum number of properties of a schema that other schemas extend. Smaller schemas are not worth a shared component.
 */
const MIN_SHARED_PROPERTIES = 8;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * Replaces `anyOf` of a plain type and null by a list of types, e.g. `type: ['string', 'null']`, at any depth. If the
 * whole schema is an object or null, it keeps its `anyOf`.
 */
export function mergeNullTypes(schema: JsonSchema): JsonSchema {
  const merged = mergeIn(schema) as JsonSchema;
  return merged['properties'] !== undefined && schema['anyOf'] !== undefined
    ? { ...schema, anyOf: mergeIn(schema['anyOf']) }
    : merged;
}

function mergeIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mergeIn);
  if (!isObject(value)) return value;
  const merged = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mergeIn(inner)]));
  const { anyOf, ...rest } = merged;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return merged;
  const [plain, other] = anyOf as [JsonSchema, JsonSchema];
  const isPlain = typeof plain['type'] === 'string' && !['enum', 'const', 'description'].some((key) => key in plain);
  return isPlain && other['type'] === 'null' ? { ...plain, type: [plain['type'], 'null'], ...rest } : merged;
}

const propertiesOf = (schema: JsonSchema) => (schema['properties'] ?? {}) as Schemas;
const requiredOf = (schema: JsonSchema) => (schema['required'] ?? []) as readonly string[];

/**
 * Checks whether a schema contains every property of the schema `base` unchanged, and requires every property that
 * `base` requires.
 */
function isExtensionOf(schema: JsonSchema, base: JsonSchema): boolean {
  const [own, required] = [propertiesOf(schema), requiredOf(schema)];
  return (
    schema['additionalProperties'] === false &&
    Object.entries(propertiesOf(base)).every(
      ([name, property]) => JSON.stringify(own[name]) === JSON.stringify(property),
    ) &&
    requiredOf(base).every((name) => required.includes(name))
  );
}

/**
 * Shortens schemas that contain all properties of other schemas. The properties of the other schema move to a component
 * with the suffix `Fields`, to which both schemas refer. This component allows additional properties, so both schemas
 * forbid them with `unevaluatedProperties`.
 * @param groups names of schemas that are only groups of properties. Such a schema becomes the component itself.
 */
export function shareProperties(schemas: Schemas, groups: ReadonlySet<string>): Schemas {
  const size = (name: string) => Object.keys(propertiesOf(schemas[name] ?? {})).length;
  const isClosed = (name: string) => schemas[name]?.['additionalProperties'] === false;
  const candidates = Object.keys(schemas)
    .filter((name) => isClosed(name) && (groups.has(name) || size(name) >= MIN_SHARED_PROPERTIES))
    .sort((a, b) => size(b) - size(a));
  const fieldsOf = (name: string) => ({ $ref: `#/components/schemas/${groups.has(name) ? name : `${name}Fields`}` });
  /** Returns the other schemas whose properties a schema contains, the largest first, and its remaining properties. */
  const split = (name: string, schema: JsonSchema) => {
    const bases: string[] = [];
    let rest = schema;
    for (const other of candidates) {
      const base = schemas[other] ?? {};
      if (size(other) >= size(name) || !isExtensionOf(rest, base)) continue;
      bases.push(other);
      rest = without(rest, base);
    }
    return { bases, rest };
  };
  const parts = Object.entries(schemas).map(([name, schema]) => ({ name, schema, ...split(name, schema) }));
  const extended = new Set(parts.flatMap(({ bases }) => bases));
  const result: Record<string, JsonSchema> = {};
  for (const { name, schema, bases, rest } of parts) {
    const { type, additionalProperties, ...own } = rest;
    const fields = { ...(bases.length === 0 ? { type } : { allOf: bases.map(fieldsOf) }), ...own };
    if (groups.has(name)) result[name] = fields;
    else if (extended.has(name)) {
      result[`${name}Fields`] = fields;
      result[name] = { allOf: [fieldsOf(name)], unevaluatedProperties: false };
    } else result[name] = bases.length === 0 ? schema : { ...fields, unevaluatedProperties: additionalProperties };
  }
  return result;
}

/** Returns a schema without the properties that its base schema contains. */
function without(schema: JsonSchema, base: JsonSchema): JsonSchema {
  const inherited = propertiesOf(base);
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(propertiesOf(schema)).filter(([name]) => !(name in inherited))),
    required: requiredOf(schema).filter((name) => !(name in inherited)),
  };
}
