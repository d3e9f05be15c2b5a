/** Makes what a job carries fit to be shown: payloads hold ids alone, but errors quote what servers answered. */

const MASK = '•••';
const TEXT_MAX = 2_000;
const ADDRESS = /[^\s@<>"'(),;:]+@[^\s@<>"'(),;:]+/gu;
/** A code of six digits, a telephone number: digits that stand by themselves, with what people put between them. */
const NUMBER = /(?<![\w-])\+?\d(?:[ .()/-]{0,2}\d){5,}(?![\w-])/gu;
const CREDENTIAL = /\b(bearer|basic|password|token|secret|api[-_]?key)(["']?[ :=]+["']?)[^\s"',;&]+/giu;
const SENSITIVE_NAME = /mail(?!Id)|phone|password|token|secret|code|name|address|text|body/iu;

/** A text of a server or of ours, without addresses, numbers and credentials, at most 2,000 characters. */
export function maskedText(text: string): string {
  return text
    .slice(0, TEXT_MAX)
    .replaceAll(ADDRESS, MASK)
    .replaceAll(CREDENTIAL, `$1$2${MASK}`)
    .replaceAll(NUMBER, MASK);
}

/** The fields of a payload as texts; those whose name says that a person may be in them are masked. */
export function maskedPayload(payload: unknown): readonly { readonly name: string; readonly value: string }[] {
  if (typeof payload !== 'object' || payload === null) return [];
  return Object.entries(payload).map(([name, value]: [string, unknown]) => ({
    name,
    value: SENSITIVE_NAME.test(name) ? MASK : idText(value),
  }));
}

/** Ids are longer than any number of a telephone may look, and are shown as they are. */
function idText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, TEXT_MAX).replaceAll(ADDRESS, MASK);
}
