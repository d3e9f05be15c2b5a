import { createHash } from 'node:crypto';
import type { Position } from '@alpenglow/domain';
import { LRUCache } from 'lru-cache';

/** A serialized response of a list. */
export interface CachedResponse {
  readonly body: Buffer;
  readonly etag: string;
  /** Position of the read model in the log before the response was created. */
  readonly position: Position;
}

const MAX_RESPONSES = 500;
const MAX_bytes = 16 * 1024 * 1024;
/** Lifetime of a response. It is limited, because the online state of owners changes without any event. */
const LIFETIME_ms = 60_000;

/**
 * Creates a cache of list and count responses. The caller invalidates the whole cache when a projection
 * changes. Each response expires after a minute. A response that was being created during an invalidation is
 * returned but not cached.
 */
export function createListCache(currentPosition: () => Position): {
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
    const position = currentPosition();
    const body = Buffer.from(JSON.stringify(await load()));
    const response = { body, position, etag: `"${createHash('sha1').update(body).digest('base64url')}"` };
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
