import { createPool } from '@alpenglow/infra';
import { describe, expect, test } from 'vitest';
import { createMigratedDatabase } from '../support/database.ts';
import { countsWithChanges, findShardDifferences } from './read-state.ts';

test('counts include the changes of shards, and wrong stored counts stay visible', async () => {
  const database = await createMigratedDatabase();
  const pool = createPool({ connectionString: database.connectionString, max: 1, applicationName: 'test' });
  try {
    await pool.query('create table rm.counts (key text primary key, count integer not null)');
    await pool.query(
      `insert into rm.counts values
         ('unchanged', 3), ('raised', 3), ('removed', 2), ('zero', 0), ('raised zero', 0), ('negative', -1)`,
    );
    await pool.query(
      `insert into rm.tally_changes (tally, key, change) values
         ('counts', 'raised', 2), ('counts', 'removed', -1), ('counts', 'removed', -1), ('counts', 'added', 1),
         ('counts', 'raised zero', 2), ('counts', 'negative', 1), ('other', 'unchanged', 5)`,
    );
    const { rows } = await pool.query<{ key: string; count: number }>(
      `select * from ${countsWithChanges('counts', 'rm.counts')} as counts`,
    );
    expect(Object.fromEntries(rows.map(({ key, count }) => [key, count]))).toEqual({
      unchanged: 3,
      raised: 5,
      added: 1,
      zero: 0,
      'raised zero': 0,
      negative: -1,
    });
  } finally {
    await pool.end();
    await database.drop();
  }
});

describe('the shards of a projection', () => {
  const find = (whole: bigint, shards: readonly bigint[], count?: number) =>
    findShardDifferences(
      'ad_cards',
      new Map([['ad_cards', whole], ...shards.map((shard, index) => [`ad_cards#${index}`, shard] as const)]),
      count,
    ).flatMap(({ onlyInTable }) => onlyInTable);

  test('can be after the projection', () => {
    expect(find(5n, [5n, 7n], 2)).toEqual([]);
    expect(find(5n, [])).toEqual([]);
  });

  test('are reported if the projection is after the slowest of them', () => {
    expect(find(6n, [5n, 7n], 2)).toEqual(['ad_cards is at 6, after its shard 0 at 5']);
  });

  test('are reported if their number is not the configured one', () => {
    expect(find(5n, [], 2)).toEqual(['ad_cards has 0 shards, and 2 are configured']);
    expect(find(5n, [5n, 5n])).toEqual(['ad_cards has 2 shards, and 0 are configured']);
  });
});
