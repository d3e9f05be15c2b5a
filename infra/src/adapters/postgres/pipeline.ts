import { Client, type QueryConfig, type QueryResultRow } from 'pg';
import { connectionSettings, type ConnectionOptions } from './pool.ts';

export type Pipeline = ReturnType<typeof createPipeline>;

/**
 * Creates a connection that queries share. Each query is sent without waiting for earlier results. The queries run in
 * their order, each in its own transaction. The pipeline connects with the first query. After the connection has
 * broken, the next query reconnects.
 */
export function createPipeline(options: ConnectionOptions) {
  let current: Promise<Client> | null = null;

  function connection(): Promise<Client> {
    if (current) return current;
    const client = new Client({ ...connectionSettings(options), pipeline: true });
    const connected = client.connect().then(() => client);
    const reset = () => {
      if (current === connected) current = null;
    };
    client.on('error', reset);
    client.on('end', reset);
    connected.catch(reset);
    current = connected;
    return connected;
  }

  return {
    /** Sends a query and returns its rows. Throws the errors of the server and of the driver. */
    async query<Row extends QueryResultRow>(config: QueryConfig): Promise<readonly Row[]> {
      const client = await connection();
      const { rows } = await client.query<Row>(config);
      return rows;
    },
    /** Closes the connection when the running queries have ended. */
    async end(): Promise<void> {
      const client = await current?.catch(() => null);
      await client?.end();
    },
  };
}
