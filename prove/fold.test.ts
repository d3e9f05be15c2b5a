import { counterToPosition } from '@alpenglow/infra';
import type { RecordedEvent } from '@alpenglow/domain';
import type { Projection } from '@alpenglow/projectors';
import { describe, expect, test } from 'vitest';
import { randomNumbers } from '../tests/support/random.ts';
import { createFold } from './fold.ts';
import type { Entry, LogChanges } from './log-copy.ts';

const ADS = ['ad-0', 'ad-1', 'ad-2'];
/** A projection with one row for each ad, which lists the accounts in the order of their events. */
const projection = {
  name: 'test',
  version: 1,
  columns: { ad_id: 'text', accounts: 'jsonb' },
  keyOf: ({ data }: { data: { adId: string } }) => data.adId,
  on: {
    AdFavorited: ({ data }: { data: { adId: string; accountId: string } }, row: { accounts: string[] } | null) => {
      if (data.accountId === 'rejected') throw new Error('This account has no row');
      return { ad_id: data.adId, accounts: [...(row?.accounts ?? []), data.accountId] };
    },
    AdUnfavorited: () => null,
  },
} as unknown as Projection;

function entry(
  number: number,
  { type = 'AdFavorited', stream = `favorites-${number % ADS.length}`, account = 'account' } = {},
) {
  const event = {
    id: `event-${number}`,
    type,
    version: 1,
    stream,
    revision: number,
    position: counterToPosition(String(number)),
    data: { adId: ADS[number % ADS.length], accountId: account },
    meta: {},
  } as unknown as RecordedEvent;
  return { event, at: BigInt(number) };
}
const toLog = (entries: readonly Entry[], changes: Partial<LogChanges> = {}): LogChanges => ({
  entries,
  isReplaced: false,
  changed: [],
  ...changes,
});
const rowsOf = (rows: ReadonlyMap<string, object>) => Object.fromEntries([...rows].toSorted());
const foldAll = (entries: readonly Entry[], checkpoints: readonly bigint[]) =>
  rowsOf(createFold(projection)(toLog(entries, { isReplaced: true }), checkpoints));

describe('createFold', () => {
  test('has the same rows after each call as a fold of all events, also with shards and erasures', () => {
    const random = randomNumbers(3);
    for (const shards of [1, 3]) {
      const fold = createFold(projection);
      let entries: Entry[] = [];
      let checkpoints = Array.from({ length: shards }, () => 0n);
      for (let round = 0; round < 60; round += 1) {
        const changed = [];
        for (let n = 0; n < 5; n += 1)
          entries.push(entry(entries.length + 1, { type: random() < 0.1 ? 'AdUnfavorited' : 'AdFavorited' }));
        if (random() < 0.3) {
          const index = Math.floor(random() * entries.length);
          const before = entries[index]?.event as RecordedEvent;
          const { event: after } = entry(index + 1, { type: before.type, account: `erased ${round}` });
          entries = entries.with(index, { event: after, at: BigInt(index + 1) });
          changed.push({ before, after });
        }
        // The shards follow the log at different distances, and sometimes stay where they are.
        checkpoints = checkpoints.map((checkpoint) => {
          const next = BigInt(entries.length - Math.floor(random() * 4));
          return next < checkpoint || random() < 0.3 ? checkpoint : next;
        });
        expect(rowsOf(fold(toLog([...entries], { changed }), checkpoints))).toEqual(foldAll(entries, checkpoints));
      }
      expect(Object.keys(foldAll(entries, checkpoints)).length).toBeGreaterThan(0);
    }
  });

  test('folds all events after the log was replaced, after a checkpoint moved back, and with other shards', () => {
    const entries = [1, 2, 3, 4, 5, 6].map((number) => entry(number));
    const others = [1, 2, 3].map((number) => entry(number, { account: 'other' }));
    const fold = createFold(projection);
    fold(toLog(entries), [6n]);
    expect(rowsOf(fold(toLog(others, { isReplaced: true }), [3n]))).toEqual(foldAll(others, [3n]));
    expect(rowsOf(fold(toLog(others), [2n]))).toEqual(foldAll(others, [2n]));
    expect(rowsOf(fold(toLog(others), [3n, 2n]))).toEqual(foldAll(others, [3n, 2n]));
  });

  test('leaves out the later events of a stream with an event that cannot be applied', () => {
    const entries = [
      entry(1, { stream: 'favorites-a', account: 'rejected' }),
      entry(2, { stream: 'favorites-b' }),
      entry(3, { stream: 'favorites-a' }),
      entry(4, { stream: 'favorites-b' }),
    ];
    const fold = createFold(projection);
    fold(toLog(entries.slice(0, 2)), [2n]);
    const rows = rowsOf(fold(toLog(entries), [4n]));
    expect(rows).toEqual(foldAll(entries, [4n]));
    expect(Object.keys(rows)).not.toContain(ADS[0]);
  });
});
