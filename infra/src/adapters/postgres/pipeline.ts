import { Client, type QueryConfig, type QueryResultRow } from 'pg';
import { connectionSettings, type ConnectionOptions } from './pool.ts';

export interface Pipeline {
  /** Throws what the server or the driver throws. */
  query<Row extends QueryResultRow>(config: QueryConfig): Promise<readonly Row[]>;
  /** Closes the connection. Queries under way finish first. */
  end(): Promise<void>;
}

/**
 * One connection that queries share: each is sent without waiting for the answers before it, and they run in that order,
 * each in its own transaction. Connects when first needed, and again when the connection has broken.
 */
export function createPipeline(options: ConnectionOptions): Pipeline {
  let current: Promise<Client> | null = null;

  function connection(): Promise<Client> {
    if (current) return current;
    const client = new Client({ ...connectionSettings(options), pipeline: true });
    const connected = client.connect().then(() => client);
    const forget = () => {
      if (current === connected) current = null;
    };
    client.on('error', forget);
    client.on('end', forget);
    connected.catch(forget);
    current = connected;
    return connected;
  }

  return {
    async query<Row extends QueryResultRow>(config: QueryConfig) {
      const client = await connection();
      const { rows } = await client.query<Row>(config);
      return rows;
    },
    async end() {
      const client = await current?.catch(() => null);
      await client?.end();
    },
  };
}
