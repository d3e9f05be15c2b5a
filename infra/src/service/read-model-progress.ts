import { comparePositions, START_POSITION, POSITION_WAIT_MAX_ms, type Position } from '@alpenglow/domain';
import { listen, type Pool } from '../adapters/postgres/pool.ts';

/**
 * The Postgres channel with notifications of projections. When a transaction moves the checkpoint of a projection, its
 * commit sends `name:position`.
 */
export const CHECKPOINT_CHANNEL = 'rm_advanced';

/**
 * The checkpoints of all projections, as far as this process knows them. A checkpoint is the position up to which a
 * read model contains all events. Known checkpoints may be too old, but never too new.
 */
export type ReadModelProgress = ReturnType<typeof createReadModelProgress>;

interface Waiter {
  readonly position: Position;
  readonly resolve: () => void;
}

const POLL_ms = 1_000;

export interface ReadModelProgressOptions {
  readonly pool: Pool;
  readonly connectionString: string;
  /** The default time limit of `waitFor`. */
  readonly limit_ms?: number;
}

/**
 * Tracks the table `rm.checkpoints` by notifications. It is also polled regularly, because notifications can be lost.
 */
export function createReadModelProgress({
  pool,
  connectionString,
  limit_ms: defaultLimit_ms = POSITION_WAIT_MAX_ms,
}: ReadModelProgressOptions) {
  const positions = new Map<string, Position>();
  const waiters = new Map<string, Set<Waiter>>();
  const listeners = new Set<(projection: string) => void>();

  const positionOf = (projection: string) => positions.get(projection) ?? START_POSITION;

  const notify = (projection: string) => {
    for (const listener of listeners) listener(projection);
  };

  function settle(projection: string, position: Position): void {
    // An older position is ignored, because a poll may return later than a newer notification.
    if (comparePositions(position, positionOf(projection)) <= 0) return;
    positions.set(projection, position);
    for (const waiter of waiters.get(projection) ?? []) {
      if (comparePositions(position, waiter.position) >= 0) waiter.resolve();
    }
  }

  async function poll(): Promise<void> {
    const { rows } = await pool.query<{ name: string; position: Position }>({
      name: 'checkpoints-read',
      text: 'select name, position from rm.checkpoints',
    });
    for (const { name, position } of rows) {
      if (position !== positionOf(name)) notify(name);
      settle(name, position);
    }
  }

  const pollOrNotifyAll = () => {
    poll().catch(() => notify('all'));
  };

  const listener = listen(
    connectionString,
    [CHECKPOINT_CHANNEL],
    (_channel, payload) => {
      const colon = payload.indexOf(':');
      const projection = payload.slice(0, colon);
      // Listeners are notified even if the position is unchanged. When a rebuilt read model replaces the current one,
      // its rows change, but its position does not.
      notify(projection);
      settle(projection, payload.slice(colon + 1) as Position);
    },
    {
      onReconnect: () => {
        notify('all');
        pollOrNotifyAll();
      },
      applicationName: 'alpenglow-progress',
    },
  );
  const polling = setInterval(pollOrNotifyAll, POLL_ms);
  polling.unref();

  return {
    getPosition: positionOf,
    /**
     * Registers a listener that is called after the read model of a projection has changed. The argument is the name of
     * the projection, or `all` if changes may have been missed. Returns a function that removes the listener.
     */
    onChange(callback: (projection: string) => void): () => void {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
    /**
     * Resolves to true when the read model of the projection contains all events up to the position. Resolves to false
     * after `limit_ms`, or if `signal` aborts.
     */
    waitFor(
      projection: string,
      position: Position,
      signal?: AbortSignal,
      limit_ms: number = defaultLimit_ms,
    ): Promise<boolean> {
      if (comparePositions(positionOf(projection), position) >= 0) return Promise.resolve(true);
      return new Promise((resolve) => {
        const waiting = waiters.get(projection) ?? new Set();
        waiters.set(projection, waiting);
        const finish = (reached: boolean) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onTimeout);
          waiting.delete(waiter);
          resolve(reached);
        };
        const onTimeout = () => finish(false);
        const waiter: Waiter = { position, resolve: () => finish(true) };
        const timer = setTimeout(onTimeout, limit_ms);
        signal?.addEventListener('abort', onTimeout, { once: true });
        waiting.add(waiter);
      });
    },
    async close(): Promise<void> {
      clearInterval(polling);
      await listener.close();
    },
  };
}
