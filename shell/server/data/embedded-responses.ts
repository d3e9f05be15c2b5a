import type { PageReader } from '@alpenglow/domain/contracts';
import { escapeScriptJson } from '../html.ts';
import { createShortCache } from './short-cache.ts';
import { getListEntries, type ListEntries } from './list-entries.ts';

/** An API response that a page contains, so that the browser does not need to request it. */
export interface EmbeddedResponse {
  readonly path: string;
  /** The JSON of the response. */
  readonly body: string;
  /** Encrypted position of the response in the event log. Null if the position is unknown. */
  readonly position: string | null;
  readonly listed: ListEntries;
}

/**
 * Cache time of a response, which simultaneous requests for pages share. Browsers receive later changes through the
 * live channel, which starts at the position of the response in the event log.
 */
const LIFETIME_ms = 1_000;
const MAX_CACHED_RESPONSES = 200;
/** Maximum size of an embedded response. A larger response would delay the page too much. */
const MAX_LENGTH_characters = 200_000;

/**
 * Creates a function that reads the API responses of some paths. The function reads each path at most once per second.
 * It omits error responses and responses that are too large. It rejects if a read fails.
 */
export function createEmbeddedResponses(
  reads: Pick<PageReader, 'readApiResponse'>,
): (paths: readonly string[]) => Promise<readonly EmbeddedResponse[]> {
  const cache = createShortCache({ create: read, lifetime_ms: LIFETIME_ms, max: MAX_CACHED_RESPONSES });

  async function read(path: string): Promise<EmbeddedResponse | null> {
    const response = await reads.readApiResponse(path);
    if (!response || response.body.length > MAX_LENGTH_characters) return null;
    const { data } = JSON.parse(response.body) as { readonly data?: unknown };
    return { path, body: response.body, position: response.position, listed: getListEntries(path, data) };
  }

  return async (paths) =>
    (await Promise.all(paths.map((path) => cache.get(path)))).filter((response) => response !== null);
}

/** The maximum number of positions that the live channel accepts in `since`. */
const MAX_POSITIONS = 4;

/**
 * Returns the JSON with the API responses that a page contains (ui/src/api/embedded-responses.ts). Its `position`
 * contains the encrypted positions of these responses, separated by commas. The live channel starts at the earliest
 * position.
 * @param queries the escaped content of the query cache as JSON, if the server has rendered the page with these
 *   responses
 */
export function toEmbeddedResponsesJson(responses: readonly EmbeddedResponse[], queries: string | null): string {
  const positions = responses.map(({ position }) => position);
  const isKnown = positions.length > 0 && positions.length <= MAX_POSITIONS && !positions.includes(null);
  const position = JSON.stringify(isKnown ? positions.join(',') : null);
  if (queries !== null) return `{"position":${position},"answers":{},"queries":${queries}}`;
  const entries = responses.map(
    ({ path, body }) => `${escapeScriptJson(JSON.stringify(path))}:${escapeScriptJson(body)}`,
  );
  return `{"position":${position},"answers":{${entries.join(',')}}}`;
}
