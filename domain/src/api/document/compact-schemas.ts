import type { JsonSchema } from './openapi.ts';

/** Shortens the JSON Schemas of responses by removing repetition. The short schemas accept the same values. */

type Schemas = Readonly<Record<string, JsonSchema>>;

/** Minimum number of properties that are moved to a shared component. */
const MIN_SHARED_PROPERTIES = 8;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * Replaces `anyOf` of a plain type and null by a `type` list with both, at any depth. A component that is an object or
 * null keeps its `anyOf`.
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

/** Checks whether a schema contains every property of `base` unchanged, and requires the same properties. */
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
 * Moves the properties of a schema to a component `…Fields` if other schemas contain all of them too. These schemas
 * then refer to the component. It allows additional properties, which `unevaluatedProperties` of each schema forbids.
 */
export function shareProperties(schemas: Schemas): Schemas {
  const size = (name: string) => Object.keys(propertiesOf(schemas[name] ?? {})).length;
  const candidates = Object.keys(schemas)
    .filter((name) => size(name) >= MIN_SHARED_PROPERTIES && schemas[name]?.['additionalProperties'] === false)
    .sort((a, b) => size(b) - size(a));
  /** The name of the largest schema whose properties a schema contains, by the name of the containing schema. */
  const bases = new Map(
    candidates.flatMap((name): [string, string][] => {
      const base = candidates.find(
        (other) => size(other) < size(name) && isExtensionOf(schemas[name] ?? {}, schemas[other] ?? {}),
      );
      return base === undefined ? [] : [[name, base]];
    }),
  );
  const extended = new Set(bases.values());
  const result: Record<string, JsonSchema> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const base = bases.get(name);
    const { type, additionalProperties, ...own } = base === undefined ? schema : without(schema, schemas[base] ?? {});
    const fields = { ...(base === undefined ? { type } : { allOf: [fieldsOf(base)] }), ...own };
    if (extended.has(name)) {
      result[`${name}Fields`] = fields;
      result[name] = { allOf: [fieldsOf(name)], unevaluatedProperties: false };
    } else result[name] = base === undefined ? schema : { ...fields, unevaluatedProperties: additionalProperties };
  }
  return result;
}

const fieldsOf = (name: string) => ({ $ref: `#/components/schemas/${name}Fields` });

/** Returns a schema without the properties of its base. */
function without(schema: JsonSchema, base: JsonSchema): JsonSchema {
  const inherited = propertiesOf(base);
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(propertiesOf(schema)).filter(([name]) => !(name in inherited))),
    required: requiredOf(schema).filter((name) => !(name in inherited)),
  };
}
