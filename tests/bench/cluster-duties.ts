import { PROJECTIONS, REACTORS } from '@alpenglow/projectors';
import { Client } from 'pg';
import { RELAY } from '../../projectors/src/relay-live.ts';

export { RELAY };
/** Everything the projectors do. */
export const EVERY_DUTY: readonly string[] = [
  RELAY,
  ...PROJECTIONS.map(({ name }) => name),
  ...REACTORS.map(({ name }) => name),
];

/**
 * Takes duties away from the process that has them, and keeps them until released: queues for their locks, then ends the connection that
 * holds them. That process looks for duties again a second later, and finds the others free.
 */
export async function holdDuties(
  connectionString: string,
  names: readonly string[],
): Promise<{ release(): Promise<void> }> {
  const client = new Client({ connectionString, application_name: 'bench-duties' });
  await client.connect();
  const locks = client.query(
    `select pg_advisory_lock(hashtext('alpenglow-duty'), hashtext(name)) from unnest($1::text[]) as name`,
    [names],
  );
  const other = new Client({ connectionString });
  await other.connect();
  await other.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'alpenglow-leader'`,
  );
  await other.end();
  await locks;
  return { release: () => client.end() };
}
