import { randomBytes } from 'node:crypto';
import type { DataKeys } from '@alpenglow/infra';

/** Creates data keys that are stored in memory, for tests without a database. */
export function createMemoryDataKeys(): DataKeys {
  const keys = new Map<string, Buffer>();
  return {
    obtain(id) {
      const key = keys.get(id) ?? randomBytes(32);
      keys.set(id, key);
      return Promise.resolve({ id, key });
    },
    find: (ids) =>
      Promise.resolve(new Map(ids.flatMap((id) => (keys.has(id) ? [[id, keys.get(id) ?? null] as const] : [])))),
  };
}
