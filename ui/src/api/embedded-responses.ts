/**
 * API responses that are embedded in the first HTML, so that the first list is rendered without another request. Each
 * response is used for one request, and only shortly after the page was loaded. The live channel starts at the log
 * position of the responses, so that it misses no change.
 */

/** Id of the JSON block in the page. The shell's server writes this block. */
export const EMBEDDED_RESPONSES_ID = 'first-answers';

/** Content of the JSON block with the embedded responses. */
export interface EmbeddedResponses {
  /** Position in the event log that the responses are based on. Null if the position is unknown. */
  readonly position: string | null;
  /** The response bodies by request path with its query, e.g. `/api/ads?state=NV`. */
  readonly answers: Readonly<Record<string, unknown>>;
}

const LIFETIME_ms = 15_000;

/** Checks whether the page was opened by Back or Forward. The responses in such a page may be out of date. */
const isFromHistory = () =>
  performance
    .getEntriesByType('navigation')
    .some((entry) => (entry as PerformanceNavigationTiming).type === 'back_forward');

function read(): EmbeddedResponses | null {
  if (isFromHistory()) return null;
  const text = globalThis.document?.getElementById(EMBEDDED_RESPONSES_ID)?.textContent;
  if (!text) return null;
  try {
    // The cast is safe, because the shell's server wrote the JSON.
    return JSON.parse(text) as EmbeddedResponses;
  } catch {
    return null;
  }
}

/** Returns the log position at which the live channel starts. Returns null if the page contains no responses. */
export const getEmbeddedPosition = (): string | null => read()?.position ?? null;

/** Removes the embedded response to a request and returns it. Returns undefined if it is missing or too old. */
export function takeEmbeddedResponse(path: string): unknown {
  const first = performance.now() < LIFETIME_ms ? read() : null;
  if (!first || !(path in first.answers)) return undefined;
  const { [path]: response, ...rest } = first.answers;
  const block = document.getElementById(EMBEDDED_RESPONSES_ID);
  // The shell and the remotes share the page but no variables, so the used response is removed from the page.
  if (block) block.textContent = JSON.stringify({ ...first, answers: rest });
  return response;
}
