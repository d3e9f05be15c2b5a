import { comparePositions, type Position } from '@alpenglow/domain';
import { LRUCache } from 'lru-cache';
import type { LiveKeys } from './live-subjects.ts';

/** The maximum number of topics with a stored position. An entry needs about 150 bytes. */
const MAX_TOPICS = 100_000;

/** Finds the clients of a topic without checking the others. */
export function createTopicIndex<Client extends object>() {
  const clientsByKey = new Map<string, Set<Client>>();
  const keysByClient = new Map<Client, ReadonlySet<string>>();

  function remove(client: Client): void {
    for (const key of keysByClient.get(client) ?? []) {
      const clients = clientsByKey.get(key);
      clients?.delete(client);
      if (clients?.size === 0) clientsByKey.delete(key);
    }
    keysByClient.delete(client);
  }

  return {
    /** Replaces the topics of a client. */
    set(client: Client, keys: ReadonlySet<string>): void {
      remove(client);
      keysByClient.set(client, keys);
      for (const key of keys) {
        const clients = clientsByKey.get(key);
        if (clients) clients.add(client);
        else clientsByKey.set(key, new Set([client]));
      }
    },
    remove,
    /** Returns each client of one of these topics once. Null stands for all topics. */
    find(keys: LiveKeys): ReadonlySet<Client> {
      const found = new Set<Client>();
      if (keys === null) {
        for (const [client, { size }] of keysByClient) if (size > 0) found.add(client);
      } else {
        for (const key of keys) for (const client of clientsByKey.get(key) ?? []) found.add(client);
      }
      return found;
    },
    clients: (): Iterable<Client> => keysByClient.keys(),
    clear(): void {
      clientsByKey.clear();
      keysByClient.clear();
    },
  };
}

/**
 * Stores the position of the last message of each topic, for messages after `start`. If a client subscribes to a
 * further topic, the process then knows if the client has missed a message of it.
 */
export function createTopicPositions(start: Position) {
  /** It is unknown which topics had messages at or before this position. */
  let knownAfter = start;
  const last = new LRUCache<string, Position>({
    max: MAX_TOPICS,
    // Without this, a topic whose entry is removed would count as unchanged since `knownAfter`.
    dispose: (position, _key, reason) => {
      if (reason === 'evict' && comparePositions(position, knownAfter) > 0) knownAfter = position;
    },
  });
  return {
    /** Records a message. Null stands for all topics. */
    record(keys: LiveKeys, position: Position): void {
      if (keys === null) knownAfter = position;
      else for (const key of keys) last.set(key, position);
    },
    /** Returns true if the topic has a message after `since`, or if this is unknown. */
    hasChanged(key: string, since: Position): boolean {
      return comparePositions(since, knownAfter) < 0 || comparePositions(last.peek(key) ?? knownAfter, since) > 0;
    },
    /** Forgets all messages. Messages up to `position` are unknown. */
    restartAt(position: Position): void {
      last.clear();
      knownAfter = position;
    },
  };
}
