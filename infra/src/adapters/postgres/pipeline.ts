import { Client, type QueryConfig, type QueryResultRow } from 'pg';
import { connectionSettings, type ConnectionOptions } from './pool.ts';

export type Pipeline = ReturnType<typeof createPipeline>;

/**
 * Creates a Postgres connection that several queries share. A query is sent without waiting for the results of earlier
 * queries. Postgres runs the queries one after the other, each in its own transaction. The connection is opened by the
 * first query. If it breaks, the next query opens it again.
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
