import fc from 'fast-check';
import { copyRows, READ_MODELS, useStoredTables, type Pool } from '@alpenglow/infra';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMigratedDatabase, createTestPool, type TestDatabase } from '../support/database.ts';
import { assertProperty } from '../support/property.ts';

let database: TestDatabase;
let pool: Pool;

const COLUMNS = [
  { name: 'key', isJson: false },
  { name: 'text', isJson: false },
  { name: 'number', isJson: false },
  { name: 'flag', isJson: false },
  { name: 'at', isJson: false },
  { name: 'json', isJson: true },
] as const;

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createTestPool(database.connectionString, 1);
  await createTable('rm.copied');
  await createTable('rm.inserted');
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

async function createTable(name: string): Promise<void> {
  await pool.query(`create table ${name} (key text primary key, text text, number double precision, flag boolean,
                      at timestamptz, json jsonb)`);
}

async function copy(table: string, rows: Parameters<typeof copyRows>[3]): Promise<void> {
  const client = await pool.connect();
  try {
    await copyRows(client, table, COLUMNS, rows);
  } finally {
    client.release();
  }
}

const readRows = async (table: string): Promise<readonly unknown[]> =>
  (await pool.query<Record<string, unknown>>(`select * from ${table} order by key`)).rows;

/** Texts without U+0000 and without unpaired surrogates, which no column can store. */
const storableText = fc
  .oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\\N', '\\.', 'a\tb\\n', '\r\n', '', '\\'))
  .filter((text) => !text.includes('\0'));
const row = fc.record({
  text: fc.option(storableText),
  number: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
  flag: fc.option(fc.boolean()),
  at: fc.option(
    fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }).map((at) => at.toISOString()),
  ),
  json: fc.option(fc.oneof(storableText, fc.array(storableText), fc.record({ a: storableText, b: fc.integer() }))),
});

test('copied rows equal rows that were inserted as JSON', async () => {
  await assertProperty(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (generated) => {
      const rows = generated.map((entry, index) => ({ key: `k${index}`, ...entry }));
      await pool.query('truncate rm.copied, rm.inserted');
      await copy('rm.copied', rows);
      await pool.query('insert into rm.inserted select * from json_populate_recordset(null::rm.inserted, $1::json)', [
        JSON.stringify(rows),
      ]);
      expect(await readRows('rm.copied')).toEqual(await readRows('rm.inserted'));
    }),
    { name: 'tables of copied rows', short: 20, minimum: 50, maximum: 200, time_s: 5 },
  );
});

test('rejects with the error of Postgres, and the connection can be used afterwards', async () => {
  await copy('rm.copied', [{ key: 'a' }]);
  await expect(copy('rm.copied', [{ key: 'b' }, { key: 'a' }])).rejects.toMatchObject({ code: '23505' });
  await expect(copy('rm.copied', [{ key: 'c', at: 'never' }])).rejects.toMatchObject({ code: '22007' });
  await expect(copy('rm.missing', [{ key: 'a' }])).rejects.toMatchObject({ code: '42P01' });
  expect(await readRows('rm.copied')).toMatchObject([{ key: 'a', text: null }]);
});

test('copies to the table of the version that the statements of a pool use', async () => {
  const readModel = READ_MODELS.find(({ name }) => name === 'ad_owners');
  if (!readModel) throw new Error('There is no such read model');
  await createTable(`rm.ad_owners__v${readModel.version}`);
  useStoredTables(pool, [{ readModel, storedName: `ad_owners__v${readModel.version}` }]);
  await copy('rm.ad_owners', [{ key: 'a' }]);
  expect(await readRows(`rm.ad_owners__v${readModel.version}`)).toMatchObject([{ key: 'a' }]);
});

test('text that UTF-8 cannot represent is an error of the data, as for inserted rows', async () => {
  await expect(copy('rm.copied', [{ key: 'a', text: '\ud800' }])).rejects.toMatchObject({ code: '22021' });
  expect(await readRows('rm.copied')).toEqual([]);
});
