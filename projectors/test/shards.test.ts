import { account, favorites, follows, helpful, listing, media, report, thread, type StreamId } from '@alpenglow/domain';
import { READ_MODELS } from '@alpenglow/infra';
import { describe, expect, test } from 'vitest';
import { PROJECTIONS } from '../src/projections/index.ts';
import { shardOf, withShards } from '../src/shards/shards.ts';

describe('the shard of a stream', () => {
  test('never changes, because stored checkpoints depend on it', () => {
    const streams = ['listing-a', 'account-4f1c', 'thread-ü', 'media-'] as StreamId[];
    expect(streams.map((stream) => shardOf(stream, 64))).toMatchInlineSnapshot(`
      [
        0,
        14,
        58,
        22,
      ]
    `);
    expect(streams.map((stream) => shardOf(stream, 1))).toEqual([0, 0, 0, 0]);
  });

  test('is evenly distributed for any number of shards', () => {
    for (const count of [2, 3, 4, 7, 8, 16, 64]) {
      const sizes = Array.from({ length: count }, () => 0);
      for (let n = 0; n < 1_000 * count; n += 1) {
        const shard = shardOf(`listing-${n.toString(16)}` as StreamId, count);
        sizes[shard] = (sizes[shard] ?? 0) + 1;
      }
      expect(Math.min(...sizes)).toBeGreaterThan(800);
      expect(Math.max(...sizes)).toBeLessThan(1_200);
    }
  });
});

describe('a projection that can be split into shards', () => {
  // Two streams of the same aggregate never change the same row, because its key contains the id of the stream.
  const AGGREGATES = [account, favorites, follows, helpful, listing, media, report, thread];

  test.each(PROJECTIONS.filter(({ isShardable }) => isShardable === true).map((one) => [one.name, one] as const))(
    '%s handles only events of the streams of one aggregate',
    (_name, { on }) => {
      const sources = AGGREGATES.filter(({ eventDefinitions }) => eventDefinitions.some(({ type }) => type in on));
      expect(sources).toHaveLength(1);
      const types = new Set(sources.flatMap(({ eventDefinitions }) => eventDefinitions.map(({ type }) => type)));
      expect(Object.keys(on).filter((type) => !types.has(type as never))).toEqual([]);
    },
  );

  test('has another version for each number of shards', () => {
    const versions = [1, 2, 4].map(
      (count) =>
        withShards(PROJECTIONS, new Map([['ad_cards', count]])).find(({ name }) => name === 'ad_cards')?.version,
    );
    const { version = 0 } = READ_MODELS.find(({ name }) => name === 'ad_cards') ?? {};
    expect(versions).toEqual([version, 2_000 + version, 4_000 + version]);
    for (const { version } of READ_MODELS) expect(version).toBeLessThan(1_000);
  });

  test('is not any other one', () => {
    expect(() => withShards(PROJECTIONS, new Map([['daily_counts', 2]]))).toThrow('daily_counts');
  });
});
