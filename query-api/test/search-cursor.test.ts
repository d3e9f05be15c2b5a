import { parseQuery } from '@alpenglow/infra';
import { expect, test } from 'vitest';
import { encodeAdCursor, toListQuery } from '../src/ads/list-query.ts';
import type { Rank } from '../src/ads/orders.ts';

const POSITION = { value: '2026-01-01T00:00:00.000Z', adId: 'ad-1' };
const parseCursor = (cursor: string) => toListQuery(parseQuery('listAds', { q: 'opera', cursor })).cursor;
const parse = (rank: string) => parseCursor(Buffer.from(`bumped ${POSITION.value} ad-1 ${rank}`).toString('base64url'));

test.each<Rank | null>([
  null,
  { kind: 'recent', part: 'titles' },
  { kind: 'recent', part: 'rest' },
  { kind: 'scored', part: 'all', score: 0, weights: [1] },
  { kind: 'scored', part: 'titles', score: 71_234, weights: [1, 9_999, 250] },
])('a cursor returns the rank that it was created from: %j', (rank) => {
  const cursor = encodeAdCursor('bumped', { ...POSITION, rank });
  expect(parseCursor(cursor)).toEqual({ ...POSITION, rank });
});

test('the longest cursor is accepted', () => {
  const weights = Array.from({ length: 8 }, () => 9_999);
  const adId = 'a1b2c3d4-0000-7000-8000-000000000000';
  const cursor = encodeAdCursor('bumped', {
    ...POSITION,
    adId,
    rank: { kind: 'scored', part: 'all', score: 9e6, weights },
  });
  expect(parseCursor(cursor)?.adId).toBe(adId);
});

test.each(['2', 'a', 'a5', 'a5.', 'a5.0', 'a5.12345', 'b5.1', 't-1.1', 'a5.1.1.1.1.1.1.1.1.1', `a${'9'.repeat(9)}.1`])(
  'a cursor with the rank %s is rejected',
  (rank) => {
    expect(() => parse(rank)).toThrow(expect.objectContaining({ code: 'INVALID_FIELDS' }) as Error);
  },
);
