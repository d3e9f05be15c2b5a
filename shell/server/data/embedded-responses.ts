import type { PageReader } from '@alpenglow/domain/contracts';
import { escapeScriptJson } from '../html.ts';
import { createShortCache } from './short-cache.ts';
import { parseListEntries, type ListEntries } from './list-entries.ts';

/** An API response that a page contains, so that the browser does not need to request it. */
export interface EmbeddedResponse {
  readonly path: string;
  /** The JSON of the response, escaped for a `<script>` element. */
  readonly json: string;
  readonly position: string | null;
  readonly listed: ListEntries;
}

/**
 * Cache time of a response. Page requests at about the same time share it. Browsers receive later changes through the
 * live channel, which starts at the log position of the response.
 */
const LIFETIME_ms = 1_000;
const MAX_CACHED_RESPONSES = 200;
/** Maximum size of an embedded response. A larger response would delay the page too much. */
const MAX_LENGTH_characters = 200_000;

/**
 * Creates a function that reads the API responses of some paths. It reads each path once per second at most. Error
 * responses and responses that are too large are omitted. The function rejects if a read fails.
 */
export function createEmbeddedResponses(
  reads: Pick<PageReader, 'readApiResponse'>,
): (paths: readonly string[]) => Promise<readonly EmbeddedResponse[]> {
  const cache = createShortCache({ create: read, lifetime_ms: LIFETIME_ms, max: MAX_CACHED_RESPONSES });

  async function read(path: string): Promise<EmbeddedResponse | null> {
    const response = await reads.readApiResponse(path);
    if (!response || response.body.length > MAX_LENGTH_characters) return null;
    return {
      path,
      json: escapeScriptJson(response.body),
      position: response.position,
      listed: parseListEntries(path, response.body),
    };
  }

  return async (paths) =>
    (await Promise.all(paths.map((path) => cache.get(path)))).filter((response) => response !== null);
}

/**
 * Returns the JSON of the page's data block (ui/src/api/embedded-responses.ts). It contains the responses and the
 * earliest of their log positions.
 */
export function toEmbeddedResponsesJson(responses: readonly EmbeddedResponse[]): string {
  const positions = responses.map(({ position }) => position);
  // Positions can be sorted as text.
  const earliest = positions.includes(null) ? null : (positions.sort()[0] ?? null);
  const entries = responses.map(({ path, json }) => `${escapeScriptJson(JSON.stringify(path))}:${json}`);
  return `{"position":${JSON.stringify(earliest)},"answers":{${entries.join(',')}}}`;
}
