import type { Pool } from '@alpenglow/infra';
import { checkColumns } from '@alpenglow/projectors';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTables } from '../../projectors/src/tables.ts';
import { createMigratedDatabase, createTestPool, type TestDatabase } from '../support/database.ts';
import { findProjection } from '../support/posted-ads.ts';

let database: TestDatabase;
let pool: Pool;

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createTestPool(database.connectionString, 1);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

test('a read model with a new column and an old version prevents the start, with the reason', async () => {
  const projection = findProjection('ad_details');
  await expect(checkColumns(pool, [projection])).resolves.toBeUndefined();
  const client = await pool.connect();
  await createTables(client, projection, 'live');
  client.release();
  await expect(checkColumns(pool, [projection])).resolves.toBeUndefined();
  await pool.query('alter table rm.ad_details drop column body');
  await expect(checkColumns(pool, [projection])).rejects.toThrow(
    /^The stored read model ad_details version \d+ has no column body\. Raise its version/u,
  );
});
