import type { JsonSchema, OpenApiDocument } from '@alpenglow/domain/api';
import { each, escaped, prose } from './html.ts';

/** JSON Schema into words and tables. */

type Properties = Readonly<Record<string, JsonSchema>>;

const listOf = (value: unknown): readonly JsonSchema[] =>
  Array.isArray(value) ? (value as readonly JsonSchema[]) : [];

/** The last part of a reference: the name of what it refers to. */
function nameOf(ref: string): string {
  return ref.split('/').at(-1) ?? ref;
}

/** A reference to a schema of the document is a link to it; one into a schema names its property. */
function link(ref: string): string {
  const isWhole = /^#\/components\/schemas\/\w+$/u.test(ref);
  return isWhole
    ? `<a href="#schema-${escaped(nameOf(ref))}">${escaped(nameOf(ref))}</a>`
    : `as <code>${escaped(nameOf(ref))}</code>`;
}

/** What a value may be, in a few words. */
export function typeHtml(schema: JsonSchema): string {
  const { $ref: ref, enum: values, const: only, anyOf, allOf, type, items, format } = schema;
  if (typeof ref === 'string') return link(ref);
  if (Array.isArray(values)) return each(values, (value) => `<code>${escaped(String(value))}</code> `);
  if (only !== undefined) return `<code>${escaped(JSON.stringify(only))}</code>`;
  if (Array.isArray(anyOf)) return listOf(anyOf).map(typeHtml).join(' or ');
  if (Array.isArray(allOf)) return listOf(allOf).map(typeHtml).join(' and ');
  if (type === 'array') return `list of ${typeHtml((items ?? {}) as JsonSchema)}`;
  const name = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'anything';
  return escaped(typeof format === 'string' ? `${name} (${format})` : name);
}

const LIMITS: Readonly<Record<string, string>> = {
  minLength: 'at least {} characters',
  maxLength: 'at most {} characters',
  minimum: 'at least {}',
  maximum: 'at most {}',
  maxItems: 'at most {} of them',
  pattern: 'like {}',
};

/** The bounds of a value, in words. */
function limitsOf(schema: JsonSchema): string {
  const own = Object.entries(LIMITS).flatMap(([key, words]) =>
    schema[key] === undefined
      ? []
      : [words.replace('{}', () => (key === 'pattern' ? `\`${String(schema[key])}\`` : String(schema[key])))],
  );
  const inner = listOf(schema['anyOf'])
    .map(limitsOf)
    .filter((words) => words !== '');
  return [...own, ...inner].join(', ');
}

/** What is said of a value, and its bounds. */
export function wordsHtml(schema: JsonSchema, description = schema['description']): string {
  const limits = limitsOf(schema);
  return [
    typeof description === 'string' ? prose(description) : '',
    limits === '' ? '' : `<span class="muted">(${prose(limits)})</span>`,
  ]
    .join(' ')
    .trim();
}

function propertyTable(schema: JsonSchema): string {
  const required = new Set(listOf(schema['required']) as readonly unknown[]);
  const row = ([name, property]: readonly [string, JsonSchema]) =>
    `<tr><td><code>${escaped(name)}</code>${required.has(name) ? '' : ' <span class="muted">optional</span>'}</td><td>${typeHtml(property)}</td><td>${wordsHtml(property)}${innerTable(property)}</td></tr>`;
  return `<div class="fields"><table><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">What it is</th></tr></thead><tbody>${each(Object.entries((schema['properties'] ?? {}) as Properties), row)}</tbody></table></div>`;
}

/** The properties of an object, or of the objects in a list, that has no name of its own. */
function innerTable(schema: JsonSchema): string {
  const inner = (schema['type'] === 'array' ? schema['items'] : schema) as JsonSchema;
  return inner['properties'] === undefined ? '' : propertyTable(inner);
}

/** Every named schema, each with an anchor. */
export function schemasHtml({ components }: OpenApiDocument): string {
  return each(
    Object.entries(components.schemas),
    ([name, schema]) =>
      `<details class="call" id="schema-${escaped(name)}"><summary><h3>${escaped(name)}</h3></summary><div class="inside">${wordsHtml(schema)}${propertyTable(schema)}</div></details>`,
  );
}
