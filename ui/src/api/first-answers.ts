/**
 * Answers of the API that came inside the first HTML, so that the first list paints without another round trip. Each is good for
 * one call, shortly after the page came; the live channel starts from their position, so that nothing is missed in between.
 */

/** The id of the JSON block in the page, written by the shell's server. */
export const FIRST_ANSWERS_ID = 'first-answers';

/** What the block holds. */
export interface FirstAnswers {
  /** The position of the event log the answers are from; null when it is not known. */
  readonly position: string | null;
  /** Path with query below the origin, e.g. `/api/ads?state=NV` → the body a call would get. */
  readonly answers: Readonly<Record<string, unknown>>;
}

/** A page that is older than this asks again. */
const LIFETIME_ms = 15_000;

/** Going back, a browser may show the page it kept, however old: its answers are no longer true. */
const isKept = () =>
  performance
    .getEntriesByType('navigation')
    .some((entry) => (entry as PerformanceNavigationTiming).type === 'back_forward');

function read(): FirstAnswers | null {
  if (isKept()) return null;
  const text = globalThis.document?.getElementById(FIRST_ANSWERS_ID)?.textContent;
  if (!text) return null;
  try {
    // This project's own server wrote it.
    return JSON.parse(text) as FirstAnswers;
  } catch {
    return null;
  }
}

/** Where the live channel goes on from; null when the page came without data. */
export const firstPosition = (): string | null => read()?.position ?? null;

/** The answer to a call, once; undefined when there is none, or none that is still fresh. */
export function takeFirstAnswer(path: string): unknown {
  const first = performance.now() < LIFETIME_ms ? read() : null;
  if (!first || !(path in first.answers)) return undefined;
  const { [path]: answer, ...rest } = first.answers;
  const block = document.getElementById(FIRST_ANSWERS_ID);
  // Packages do not share memory, they share the page: what is taken is taken for all of them.
  if (block) block.textContent = JSON.stringify({ ...first, answers: rest });
  return answer;
}
