/**
 * Masks personal data in the details of a background job, which staff can view. The data of a job contains only ids,
 * but its error message may quote a server response with personal data.
 */

const MASK = '•••';
const MAX_TEXT = 2_000;
const ADDRESS = /[^\s@<>"'(),;:]+@[^\s@<>"'(),;:]+/gu;
/** Matches codes and phone numbers, which are six or more digits with the usual separators between them. */
const NUMBER = /(?<![\w-])\+?\d(?:[ .()/-]{0,2}\d){5,}(?![\w-])/gu;
const CREDENTIAL = /\b(bearer|basic|password|token|secret|api[-_]?key)(["']?[ :=]+["']?)[^\s"',;&]+/giu;
const SENSITIVE_NAME = /mail(?!Id)|phone|password|token|secret|code|name|address|text|body/iu;

/** Returns the first 2,000 characters of `text` with mail addresses, long numbers and credentials masked. */
export function maskText(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .replaceAll(ADDRESS, MASK)
    .replaceAll(CREDENTIAL, `$1$2${MASK}`)
    .replaceAll(NUMBER, MASK);
}

/** Returns the fields of a job's payload as text. Masks the fields whose name suggests personal data, e.g. `phone`. */
export function maskPayload(payload: unknown): readonly { readonly name: string; readonly value: string }[] {
  if (typeof payload !== 'object' || payload === null) return [];
  return Object.entries(payload).map(([name, value]: [string, unknown]) => ({
    name,
    value: SENSITIVE_NAME.test(name) ? MASK : idText(value),
  }));
}

/**
 * Returns `value` as text in which only mail addresses are masked. Digits are not masked, because they may be part of
 * an id.
 */
function idText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, MAX_TEXT).replaceAll(ADDRESS, MASK);
}
