import { comparePositions, START, WAIT_POSITION_ms, type Position } from '@alpenglow/domain';
import type { Pool } from './adapters/postgres/pool.ts';
import { listen } from './adapters/postgres/pool.ts';

/** Channel on which projections tell, with the commit that moves a checkpoint, how far they have come: `name:position`. */
export const ADVANCED_CHANNEL = 'rm_advanced';

/** How far the projections have come, as this process knows it. What it knows is never ahead of the tables. */
export interface ReadModelProgress {
  positionOf(projection: string): Position;
  /** Resolves true once the projection has reached a position, false when it has not within `limit_ms` (or on abort). */
  waitFor(projection: string, position: Position, signal?: AbortSignal, limit_ms?: number): Promise<boolean>;
  /** Calls back after a projection's table has changed, or may have changed unnoticed (then with `all`); returns how to stop. */
  onChange(listener: (projection: string) => void): () => void;
  close(): Promise<void>;
}

interface Waiter {
  readonly position: Position;
  readonly resolve: () => void;
}

const POLL_ms = 1_000;

export interface ReadModelProgressOptions {
  readonly pool: Pool;
  readonly connectionString: string;
  /** How long `waitFor` waits unless it is told otherwise. */
  readonly limit_ms?: number;
}

/** Follows `rm.checkpoints` by notification, and by polling as a safety net. */
export function createReadModelProgress({
  pool,
  connectionString,
  limit_ms: ownLimit_ms = WAIT_POSITION_ms,
}: ReadModelProgressOptions): ReadModelProgress {
  const positions = new Map<string, Position>();
  const waiters = new Map<string, Set<Waiter>>();
  const listeners = new Set<(projection: string) => void>();

  const positionOf = (projection: string) => positions.get(projection) ?? START;

  const tell = (projection: string) => {
    for (const listener of listeners) listener(projection);
  };

  function settle(projection: string, position: Position): void {
    // An answer to a poll may be overtaken by a notification.
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
      if (position !== positionOf(name)) tell(name);
      settle(name, position);
    }
  }

  const readQuietly = () => {
    poll().catch(() => tell('all'));
  };

  const listener = listen(
    connectionString,
    [ADVANCED_CHANNEL],
    (_channel, payload) => {
      const colon = payload.indexOf(':');
      const projection = payload.slice(0, colon);
      // Told even at the same position: a rebuild that was swapped in changes rows without moving on.
      tell(projection);
      settle(projection, payload.slice(colon + 1) as Position);
    },
    {
      onReconnect: () => {
        tell('all');
        readQuietly();
      },
      applicationName: 'alpenglow-progress',
    },
  );
  const polling = setInterval(readQuietly, POLL_ms);
  polling.unref();

  return {
    positionOf,
    onChange(callback) {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
    waitFor(projection, position, signal, limit_ms = ownLimit_ms) {
      if (comparePositions(positionOf(projection), position) >= 0) return Promise.resolve(true);
      return new Promise((resolve) => {
        const waiting = waiters.get(projection) ?? new Set();
        waiters.set(projection, waiting);
        const finish = (reached: boolean) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', giveUp);
          waiting.delete(waiter);
          resolve(reached);
        };
        const giveUp = () => finish(false);
        const waiter: Waiter = { position, resolve: () => finish(true) };
        const timer = setTimeout(giveUp, limit_ms);
        signal?.addEventListener('abort', giveUp, { once: true });
        waiting.add(waiter);
      });
    },
    async close() {
      clearInterval(polling);
      await listener.close();
    },
  };
}
