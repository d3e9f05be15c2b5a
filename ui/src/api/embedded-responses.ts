/**
 * API responses that the server embeds in the first HTML, so that the page is rendered without another request. Each
 * response is used for one request only, within 15 seconds after the page was loaded. The live channel starts at the
 * position of the responses in the event log, so that the page misses no change.
 */
import { hydrate, type DehydratedState, type QueryClient } from '@tanstack/react-query';

/** Id of the `<script>` element that contains the embedded responses as JSON. The server writes this element. */
export const EMBEDDED_RESPONSES_ID = 'first-answers';

/** Content of the `<script>` element with the embedded responses. */
export interface EmbeddedResponses {
  /**
   * Encrypted positions in the event log that the responses are based on, separated by commas. Null if a position is
   * unknown.
   */
  readonly position: string | null;
  /**
   * The response bodies by request path with its query, e.g. `/api/ads?state=NV`. It is empty if the page contains
   * `queries`.
   */
  readonly answers: Readonly<Record<string, unknown>>;
  /** The query cache with which the server has rendered the page. */
  readonly queries?: DehydratedState;
}

const LIFETIME_ms = 15_000;

/** Checks whether the page was opened by Back or Forward. The responses in such a page may be out of date. */
const isFromHistory = () =>
  performance
    .getEntriesByType('navigation')
    .some((entry: PerformanceEntry) => (entry as PerformanceNavigationTiming).type === 'back_forward');

const read = (): EmbeddedResponses | null => (isFromHistory() ? null : parse());

/** The last parsed text. Each request of the first seconds reads the responses. */
let parsed: { readonly text: string; readonly value: EmbeddedResponses | null } | null = null;

function parse(): EmbeddedResponses | null {
  const text = globalThis.document?.getElementById(EMBEDDED_RESPONSES_ID)?.textContent;
  if (!text) return null;
  if (parsed?.text !== text) parsed = { text, value: parseText(text) };
  return parsed.value;
}

function parseText(text: string): EmbeddedResponses | null {
  try {
    // The cast is safe, because the site's own server wrote the JSON.
    return JSON.parse(text) as EmbeddedResponses;
  } catch {
    return null;
  }
}

/**
 * Returns the encrypted position in the event log at which the live channel starts. Returns null if the page contains
 * no embedded responses.
 */
export const getEmbeddedPosition = (): string | null => read()?.position ?? null;

/**
 * Fills the query cache with the data of the HTML, so that the first render in the browser returns the same HTML. The
 * data counts as fetched now, because the clocks of server and browser may differ. Data of a page that Back or Forward
 * has opened may be out of date, so it counts as old.
 */
export function hydrateQueries(queryClient: QueryClient): void {
  const queries = parse()?.queries;
  if (!queries) return;
  hydrate(queryClient, queries);
  const dataUpdatedAt = isFromHistory() ? 0 : Date.now();
  for (const query of queryClient.getQueryCache().getAll()) query.setState({ ...query.state, dataUpdatedAt });
}

/**
 * Returns the embedded response to a request, for the first request only. Returns undefined if the response is missing,
 * used or too old.
 */
export function takeEmbeddedResponse(path: string): unknown {
  const responses = performance.now() < LIFETIME_ms ? read()?.answers : undefined;
  const block = responses && document.getElementById(EMBEDDED_RESPONSES_ID);
  if (!block || !(path in responses)) return undefined;
  // The shell and the remotes are separate bundles without common variables. The element therefore names the used
  // responses. Its text cannot change, because Trusted Types protect the text of scripts.
  const used = (block.dataset['used'] ?? '').split(' ');
  if (used.includes(path)) return undefined;
  block.dataset['used'] = [...used, path].join(' ');
  return responses[path];
}
