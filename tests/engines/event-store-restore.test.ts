import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { findEventStoreProgram } from '../../launcher/engines/eventstoredb.mjs';
import { apiClient, type ApiClient } from '../support/api.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { readEventLog } from '../support/event-log.ts';
import { eventually } from '../support/eventually.ts';
import { listAds } from '../support/list-ads.ts';
import { waitForReadModels } from '../support/threads.ts';

/**
 * Puts an older backup of EventStoreDB back while the cluster runs (decisions 0070 and 0115). The test copies the files
 * of the server, so it cannot use a server at `TEST_EVENTSTORE_URL`.
 */

const ADS = 8;
const hasOwnServer = process.env['TEST_EVENTSTORE_URL'] === undefined && (await findEventStoreProgram()) !== null;

describe.skipIf(!hasOwnServer)('EventStoreDB, a restore under the running cluster', () => {
  test('removes the lost ads, shows the new ones, and every consumer continues', async () => {
    const cluster = await startTestCluster({ each: 1 });
    try {
      await cluster.ready();
      await testRestore(cluster);
    } finally {
      await cluster.stop();
    }
  });
});

async function testRestore(cluster: TestCluster): Promise<void> {
  const { eventStoreDb } = cluster.backingServices;
  if (!eventStoreDb) throw new Error('The cluster does not use EventStoreDB');
  const api = apiClient(cluster.url);
  const expectListed = (ids: readonly string[]) =>
    eventually(async () => expect([...(await listAds(api)).keys()]).toEqual(expect.arrayContaining([...ids])));

  const preserved = await postAds(api);
  await eventStoreDb.backUp();
  const lost = await postAds(api);
  await expectListed([...preserved, ...lost]);
  await eventStoreDb.restore();
  const added = await postAds(api);
  await expectListed([...preserved, ...added]);

  await eventually(() => waitForReadModels(cluster.url));
  expect([...(await listAds(api)).keys()].filter((id) => lost.includes(id))).toEqual([]);
  const logged = JSON.stringify((await readEventLog(cluster.eventLog)).map(({ data }) => data));
  expect(lost.filter((id) => logged.includes(id))).toEqual([]);
  await withDatabase(cluster.databaseUrl, async (database) => {
    const chained = `select coalesce(max(first + cardinality(positions) - 1), 0)::integer as events
                       from audit.event_hashes`;
    await eventually(async () => {
      const { length } = await readEventLog(cluster.eventLog);
      expect((await database.query(chained)).rows).toEqual([{ events: length }]);
    });
    expect((await database.query('select from audit.chain_segments')).rowCount).toBe(1);
    expect((await database.query('select projection, type from rm.parked_events')).rows).toEqual([]);
  });
  const { body } = await api.call('GET', '/api/sync/status');
  expect((body as { data: { consumers: unknown } }).data.consumers).toEqual([]);
}

/** Posts ads of new providers, again if a request fails because the server starts. Returns the ids of the ads. */
async function postAds(api: ApiClient): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < ADS)
    ids.push(await eventually(async () => (await api.postAd((await api.signUp('provider')).token)).id));
  return ids;
}

async function withDatabase(connectionString: string, work: (database: Client) => Promise<void>): Promise<void> {
  const database = new Client({ connectionString });
  await database.connect();
  try {
    await work(database);
  } finally {
    await database.end();
  }
}
