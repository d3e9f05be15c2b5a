import { DatabaseError, type Client, type Pool, type PoolClient } from 'pg';
import { isBrokenConnection } from './errors.ts';

/** Runs `work` with a connection of the pool. If `signal` aborts, the connection ends at once, and `work` fails. */
export async function withConnection<T>(
  pool: Pool,
  signal: AbortSignal,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const disconnect = () => void (client as unknown as Client).end().catch(() => undefined);
  signal.addEventListener('abort', disconnect, { once: true });
  let isBroken = true;
  try {
    signal.throwIfAborted();
    const result = await work(client);
    isBroken = false;
    return result;
  } catch (error) {
    isBroken = !(error instanceof DatabaseError) || isBrokenConnection(error);
    throw error;
  } finally {
    signal.removeEventListener('abort', disconnect);
    client.release(isBroken);
  }
}
