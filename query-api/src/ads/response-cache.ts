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
  get(key: string, make: () => Promise<unknown>): Promise<CachedResponse>;
} {
  const responses = new LRUCache<string, CachedResponse>({
    max: MAX_RESPONSES,
    maxSize: MAX_bytes,
    ttl: LIFETIME_ms,
    sizeCalculation: ({ body }) => body.length,
  });
  const pending = new Map<string, Promise<CachedResponse>>();
  let generation = 0;

  async function make(key: string, load: () => Promise<unknown>): Promise<CachedResponse> {
    const generationAtStart = generation;
    const through = currentMark();
    const body = Buffer.from(JSON.stringify(await load()));
    const response = { body, through, etag: `"${createHash('sha1').update(body).digest('base64url')}"` };
    if (generationAtStart === generation) responses.set(key, response);
    return response;
  }

  return {
    invalidate() {
      generation += 1;
      responses.clear();
      pending.clear();
    },
    get(key, load) {
      const cached = responses.get(key);
      if (cached) return Promise.resolve(cached);
      const waiting = pending.get(key);
      if (waiting) return waiting;
      const created = make(key, load).finally(() => {
        if (pending.get(key) === created) pending.delete(key);
      });
      pending.set(key, created);
      return created;
    },
  };
}
