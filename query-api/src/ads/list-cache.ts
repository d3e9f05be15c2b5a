import { createHash } from 'node:crypto';
import type { Position } from '@alpenglow/domain';
import { LRUCache } from 'lru-cache';

/** A list answer ready to be sent. */
export interface CachedAnswer {
  readonly body: Buffer;
  readonly etag: string;
  /** How far the cards had come before the answer was made. */
  readonly position: Position;
}

const MAX_ANSWERS = 500;
const MAX_bytes = 16 * 1024 * 1024;
/** Who is online, and whom a filter by that finds, changes with time alone. */
const LIFETIME_ms = 60_000;

/**
 * First-come answers of lists and counts, thrown away whole as soon as a projection they are made of moves, and each after a minute. An answer that was being
 * made while a projection moved is sent but not kept.
 */
export function createListCache(positionNow: () => Position): {
  invalidate(): void;
  get(key: string, make: () => Promise<unknown>): Promise<CachedAnswer>;
} {
  const answers = new LRUCache<string, CachedAnswer>({
    max: MAX_ANSWERS,
    maxSize: MAX_bytes,
    ttl: LIFETIME_ms,
    sizeCalculation: ({ body }) => body.length,
  });
  const underWay = new Map<string, Promise<CachedAnswer>>();
  let generation = 0;

  async function make(key: string, load: () => Promise<unknown>): Promise<CachedAnswer> {
    const startedIn = generation;
    const position = positionNow();
    const body = Buffer.from(JSON.stringify(await load()));
    const answer = { body, position, etag: `"${createHash('sha1').update(body).digest('base64url')}"` };
    if (startedIn === generation) answers.set(key, answer);
    return answer;
  }

  return {
    invalidate() {
      generation += 1;
      answers.clear();
      underWay.clear();
    },
    get(key, load) {
      const known = answers.get(key);
      if (known) return Promise.resolve(known);
      const waiting = underWay.get(key);
      if (waiting) return waiting;
      const making = make(key, load).finally(() => {
        if (underWay.get(key) === making) underWay.delete(key);
      });
      underWay.set(key, making);
      return making;
    },
  };
}
