import { createOpenApiDocument } from '@alpenglow/domain/api';
import { stringify } from 'yaml';

/** The maximum length of a line of YAML. A line may be longer if it contains only one long name. */
const LINE_MAX = 160;
/** The maximum nesting depth of an object that is written on two lines, in braces. */
const TWO_LINES_DEPTH_MAX = 3;

type Collection = readonly unknown[] | Readonly<Record<string, unknown>>;

/**
 * Returns the OpenAPI document as YAML. This text is the content of the file `openapi.yaml` and of the URL
 * `/api/docs/openapi.yaml`.
 */
export function createOpenApiYaml(version: string): string {
  const lines = Object.entries(createOpenApiDocument({ version })).flatMap(([key, value]) =>
    blockLines(`${flowText(key)}:`, value, 2),
  );
  return `${lines.join('\n')}\n`;
}

/**
 * Returns the YAML lines of a value. `start` is the text before the value, which is a key or the hyphen of a list item.
 * If possible, the value is written on the same line as `start`. A long list of names or references fills several
 * lines, and a small object fills two lines. All other values are written with one entry per line.
 */
function blockLines(start: string, value: unknown, indent: number): readonly string[] {
  const padding = ' '.repeat(indent);
  if (typeof value === 'string') return stringLines(start, value, padding);
  const line = `${start} ${flowText(value)}`;
  const hasLineBreak = JSON.stringify(value).includes(String.raw`\n`);
  if (!isCollection(value) || (!hasLineBreak && line.length <= LINE_MAX)) return [line];
  const filled = hasLineBreak ? [] : filledLines(value, padding);
  const isSmall = filled.length === 2 && depthOf(value) <= TWO_LINES_DEPTH_MAX;
  if (filled.every((one) => one.length <= LINE_MAX) && (isSmall || isListOfNames(value)))
    return start.endsWith('-') ? joinFirst(start, filled) : [start, ...filled];
  if (Array.isArray(value))
    return [start, ...(value as readonly unknown[]).flatMap((item) => blockLines(`${padding}-`, item, indent + 2))];
  const properties = Object.entries(value).flatMap(([key, inner]) =>
    blockLines(`${padding}${flowText(key)}:`, inner, indent + 2),
  );
  return start.endsWith('-') ? joinFirst(start, properties) : [start, ...properties];
}

/** Joins the hyphen of a YAML list item with the first line of the item. */
function joinFirst(hyphen: string, [first = '', ...others]: readonly string[]): readonly string[] {
  return [`${hyphen} ${first.trimStart()}`, ...others];
}

/** Returns the YAML lines of a text. A long text continues on the next lines. */
function stringLines(start: string, text: string, padding: string): readonly string[] {
  if (text.includes('\n'))
    return [`${start} |-`, ...text.split('\n').map((line) => (line === '' ? '' : padding + line))];
  return wrap(stringify(text, { lineWidth: 0 }).trimEnd().split(' '), start, padding);
}

/** Returns the YAML lines of a list in brackets or of an object in braces. Each line contains as many items as fit. */
function filledLines(value: Collection, padding: string): readonly string[] {
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const items = flowItems(value);
  const parts = items.map((item, index) => (index < items.length - 1 ? `${item},` : `${item} ${close}`));
  return wrap(parts, padding + open, `${padding}  `);
}

/** Joins the parts of a text with spaces, and starts a new line before a part that does not fit. */
function wrap(parts: readonly string[], start: string, padding: string): readonly string[] {
  const lines = [start];
  for (const part of parts) {
    const line = lines.at(-1) ?? '';
    if (line === start || line.length + 1 + part.length <= LINE_MAX) lines[lines.length - 1] = `${line} ${part}`;
    else lines.push(padding + part);
  }
  return lines;
}

const scalars = new Map<unknown, string>();

/** Returns a value as YAML on a single line, e.g. `{ type: array, items: { type: string } }`. */
function flowText(value: unknown): string {
  if (!isCollection(value)) {
    const known = scalars.get(value);
    if (known !== undefined) return known;
    const text = stringify([value], { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 });
    scalars.set(value, text.trimEnd().slice(1, -1));
    return flowText(value);
  }
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const items = flowItems(value);
  return items.length === 0 ? open + close : `${open} ${items.join(', ')} ${close}`;
}

function flowItems(value: Collection): readonly string[] {
  if (Array.isArray(value)) return value.map(flowText);
  return Object.entries(value).map(([key, inner]) => `${flowText(key)}: ${flowText(inner)}`);
}

function isCollection(value: unknown): value is Collection {
  return typeof value === 'object' && value !== null;
}

/** Checks whether a value is a list of plain values or of references. */
function isListOfNames(value: Collection): boolean {
  return Array.isArray(value) && value.every((item) => !isCollection(item) || Object.keys(item).join() === '$ref');
}

function depthOf(value: unknown): number {
  return isCollection(value) ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
}
