import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { deleteReadModels, query, readTablesOfReadModels } from '../support/installation.ts';

// `backup-restore.long.test.ts` builds the read models again after this deletion.

let database: TestDatabase;
beforeEach(async () => {
  database = await createMigratedDatabase();
});
afterEach(() => database.drop());

test('the documented SQL drops all read models and empties the tables that migrations create', async () => {
  const migrated = await readTablesOfReadModels(database.connectionString);
  expect(migrated).toContain('checkpoints');
  await query(
    database.connectionString,
    `create table rm.ad_cards (id text); create table rm.ad_cards__v7__rebuild (id text);
     insert into rm.checkpoints (name, version, position) values ('ad_cards', 6, '1')`,
  );
  await deleteReadModels(database.connectionString);
  expect(await readTablesOfReadModels(database.connectionString)).toEqual(migrated);
  expect(await query(database.connectionString, 'select from rm.checkpoints')).toEqual([]);
});

test('a dropped table that belongs to no read model is reported', async () => {
  await query(database.connectionString, 'create table rm.unknown (id text)');
  await expect(deleteReadModels(database.connectionString)).rejects.toThrow('belong to no read model: unknown');
});
