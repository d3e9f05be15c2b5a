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
 * Shortens schemas that contain all properties of another schema. The properties of the other schema move to a
 * component with the suffix `Fields`, to which both schemas refer. This component allows additional properties, so both
 * schemas forbid them with `unevaluatedProperties`.
 */
export function shareProperties(schemas: Schemas): Schemas {
  const size = (name: string) => Object.keys(propertiesOf(schemas[name] ?? {})).length;
  const candidates = Object.keys(schemas)
    .filter((name) => size(name) >= MIN_SHARED_PROPERTIES && schemas[name]?.['additionalProperties'] === false)
    .sort((a, b) => size(b) - size(a));
  /**
   * Maps the name of a schema to the name of its base schema. The base is the largest other schema whose properties the
   * schema contains.
   */
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

/** Returns a schema without the properties that its base schema contains. */
function without(schema: JsonSchema, base: JsonSchema): JsonSchema {
  const inherited = propertiesOf(base);
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(propertiesOf(schema)).filter(([name]) => !(name in inherited))),
    required: requiredOf(schema).filter((name) => !(name in inherited)),
  };
}
