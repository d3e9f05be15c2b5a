import { PROJECTIONS, REACTORS } from '@alpenglow/projectors';
import { Client } from 'pg';
import { LIVE_RELAY_DUTY } from '../projectors/src/live-relay.ts';

export { LIVE_RELAY_DUTY };
/** Names of all duties of the projectors. A duty is background work that exactly one process of a cluster runs. */
export const ALL_DUTIES: readonly string[] = [
  LIVE_RELAY_DUTY,
  ...PROJECTIONS.map(({ name }) => name),
  ...REACTORS.map(({ name }) => name),
];

/**
 * Takes the duties in `names` away from the process that runs them, until `release` is called. Requests the database
 * locks of these duties, and ends the database connection that holds all locks. The process reconnects after one
 * second, but can then lock only its other duties.
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
