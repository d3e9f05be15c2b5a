/**
 * API responses that the server embeds in the first HTML, so that the page is rendered without another request. Each
 * response is used for one request only, within 15 seconds after the page was loaded. The live channel starts at the
 * position of the responses in the event log, so that the page misses no change.
 */

/** Id of the `<script>` element that contains the embedded responses as JSON. The server writes this element. */
export const EMBEDDED_RESPONSES_ID = 'first-answers';

/** Content of the `<script>` element with the embedded responses. */
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
    // The cast is safe, because the site's own server wrote the JSON.
    return JSON.parse(text) as EmbeddedResponses;
  } catch {
    return null;
  }
}

/**
 * Returns the position in the event log at which the live channel starts. Returns null if the page contains no embedded
 * responses.
 */
export const getEmbeddedPosition = (): string | null => read()?.position ?? null;

/**
 * Removes the embedded response to a request from the page, and returns it. Returns undefined if the response is
 * missing or too old.
 */
export function takeEmbeddedResponse(path: string): unknown {
  const first = performance.now() < LIFETIME_ms ? read() : null;
  if (!first || !(path in first.answers)) return undefined;
  const { [path]: response, ...rest } = first.answers;
  const block = document.getElementById(EMBEDDED_RESPONSES_ID);
  // The shell and the remotes are separate bundles without common variables. The used response is therefore removed
  // from the page itself.
  if (block) block.textContent = JSON.stringify({ ...first, answers: rest });
  return response;
}
