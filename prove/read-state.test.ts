import { counterToPosition, createPool } from '@alpenglow/infra';
import { describe, expect, test } from 'vitest';
import { createMigratedDatabase } from '../tests/support/database.ts';
import {
  countsWithChanges,
  findProjectionsWithLostEvents,
  findShardDifferences,
  type StoredCheckpoint,
} from './read-state.ts';

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

test('a projection has lost events if its last event or that of a shard is gone, or if a loss is recorded', () => {
  const log = [1, 2].map((number) => ({ position: counterToPosition(number), id: `event-${number}` }));
  const checkpoint = (name: string, position: bigint, changes: Partial<StoredCheckpoint> = {}): StoredCheckpoint => ({
    name,
    position,
    eventId: `event-${position}`,
    isLossRecorded: false,
    ...changes,
  });
  const found = findProjectionsWithLostEvents(
    [
      checkpoint('same', 2n),
      checkpoint('at_start', 0n, { eventId: null }),
      checkpoint('of_an_earlier_build', 1n, { eventId: null }),
      checkpoint('beyond_the_end', 3n),
      checkpoint('at_another_event', 2n, { eventId: 'lost' }),
      checkpoint('recorded', 2n, { isLossRecorded: true }),
      checkpoint('sharded', 1n),
      checkpoint('sharded#1', 2n, { eventId: 'lost' }),
    ],
    log,
  );
  expect([...found].sort()).toEqual(['at_another_event', 'beyond_the_end', 'recorded', 'sharded']);
});
