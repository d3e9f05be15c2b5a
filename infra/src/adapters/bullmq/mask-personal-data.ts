/**
 * Masks personal data in the details of a job that staff can view. Payloads contain only ids, but error messages may
 * quote server responses with personal data.
 */

const MASK = '•••';
const MAX_TEXT = 2_000;
const ADDRESS = /[^\s@<>"'(),;:]+@[^\s@<>"'(),;:]+/gu;
/** Matches codes and phone numbers. These are six or more digits with the usual separators. */
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

/** Returns the fields of a payload as text. Masks the fields whose name suggests personal data. */
export function maskPayload(payload: unknown): readonly { readonly name: string; readonly value: string }[] {
  if (typeof payload !== 'object' || payload === null) return [];
  return Object.entries(payload).map(([name, value]: [string, unknown]) => ({
    name,
    value: SENSITIVE_NAME.test(name) ? MASK : idText(value),
  }));
}

/** Returns a text in which only mail addresses are masked. Digits stay, because they may be part of an id. */
function idText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, MAX_TEXT).replaceAll(ADDRESS, MASK);
}
