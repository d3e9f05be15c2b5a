import { createHash } from 'node:crypto';
import type { LogMark } from '@alpenglow/domain';
import { LRUCache } from 'lru-cache';

/** A serialized API response, e.g. a list of ads. */
export interface CachedResponse {
  readonly body: Buffer;
  readonly etag: string;
  /** The last event that the read model contained before the response was created. */
  readonly through: LogMark;
}

const MAX_RESPONSES = 500;
const MAX_bytes = 16 * 1024 * 1024;
/**
 * The lifetime of a cached response. It is limited, because owners go offline without any event that would invalidate
 * the cache.
 */
const LIFETIME_ms = 60_000;

/**
 * Creates a cache of list and count responses. The caller invalidates the whole cache when a read model changes. A
 * response expires after one minute. If the cache is invalidated while a response is being created, this response is
 * returned but not cached.
 */
export function createListCache(currentMark: () => LogMark): {
  invalidate(): void;
  get(key: string, load: () => Promise<unknown>): Promise<CachedResponse>;
} {
  const responses = new LRUCache<string, CachedResponse, () => Promise<unknown>>({
    max: MAX_RESPONSES,
    maxSize: MAX_bytes,
    ttl: LIFETIME_ms,
    sizeCalculation: ({ body }) => body.length,
    // `clear` aborts the creation of responses. With this option, they are still returned, but not stored.
    ignoreFetchAbort: true,
    async fetchMethod(_key, _stale, { context: load }) {
      const through = currentMark();
      const body = Buffer.from(JSON.stringify(await load()));
      return { body, through, etag: `"${createHash('sha1').update(body).digest('base64url')}"` };
    },
  });
  return {
    invalidate: () => responses.clear(),
    get: (key, load) => responses.forceFetch(key, { context: load }),
  };
}
