import type { LiveMessage, Position } from '@alpenglow/domain';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromRecord, toRecords } from '../../infra/src/adapters/kafka/live-record.ts';
import { createPartitionMerge, type LiveRecord } from '../../infra/src/adapters/kafka/partition-merge.ts';

const at = (n: number): Position => (n === 0 ? '' : String(n).padStart(19, '0')) as Position;
const messageAt = (n: number): LiveMessage => ({
  seq: at(n),
  type: 'ad_bumped',
  adId: `ad-${n}`,
  place: null,
  at: '2026-11-21T12:00:00.000Z',
});
const says = (after: number, position: number, isMessage = true): LiveRecord => ({
  after: at(after),
  position: at(position),
  message: isMessage ? messageAt(position) : null,
});
const reached = (position: number) => says(position, position, false);

/** What a merge tells of records in this order: `[after, told …, through]` for each batch, as numbers. */
function told(partitions: number, records: readonly (readonly [partition: number, record: LiveRecord])[]): number[][] {
  const merge = createPartitionMerge(partitions);
  return records.flatMap(([partition, record]) => {
    merge.add(partition, record);
    const batch = merge.take();
    return batch ? [[batch.after, ...batch.messages.map(({ seq }) => seq), batch.through].map(Number)] : [];
  });
}

describe('the merge of partitions', () => {
  test('begins once every partition has been heard of, where the last of them begins', () => {
    expect(
      told(3, [
        [0, says(3, 5)],
        [1, says(4, 6)],
        [2, reached(2)],
        [2, says(2, 4, false)],
      ]),
    ).toEqual([[4, 4]]);
  });
  test('tells what all partitions have reached, in position order', () => {
    expect(
      told(2, [
        [0, reached(0)],
        [1, reached(0)],
        [0, says(0, 2)],
        [0, says(2, 3)],
        [1, says(0, 1)],
        [1, says(1, 3, false)],
      ]),
    ).toEqual([
      [0, 0],
      [0, 1, 1],
      [1, 2, 3, 3],
    ]);
  });
  test('drops what a partition has seen', () => {
    expect(
      told(1, [
        [0, reached(0)],
        [0, says(0, 1)],
        [0, says(1, 2)],
        [0, says(0, 1)],
        [0, says(1, 2)],
        [0, says(2, 3)],
      ]),
    ).toEqual([
      [0, 0],
      [0, 1, 1],
      [1, 2, 2],
      [2, 3, 3],
    ]);
  });
  test('begins anew after a gap, and leaves to the store what lies before', () => {
    expect(
      told(2, [
        [0, reached(1)],
        [1, reached(1)],
        [1, says(1, 3)],
        [0, says(5, 6)],
        [1, says(3, 7)],
        [0, says(6, 7, false)],
      ]),
    ).toEqual([
      [1, 1],
      [5, 6, 6],
      [6, 7, 7],
    ]);
  });
  test('that takes over from another begins where that one ended, or anew', () => {
    const merge = createPartitionMerge(1, at(5));
    merge.add(0, says(2, 4));
    expect(merge.take()).toBeNull();
    merge.add(0, says(4, 6));
    expect(merge.take()).toEqual({ after: at(5), messages: [messageAt(6)], through: at(6) });
    const later = createPartitionMerge(1, at(5));
    later.add(0, says(7, 8));
    expect(later.take()).toEqual({ after: at(7), messages: [messageAt(8)], through: at(8) });
  });
  test('does not take the first record of a relay that came late for the end of its partition', () => {
    // Read from the second: 4 to 6 were written before it, by another relay.
    expect(
      told(1, [
        [0, says(2, 3)],
        [0, says(6, 7)],
      ]),
    ).toEqual([
      [2, 3, 3],
      [6, 7, 7],
    ]);
  });

  test('whatever relays wrote, and in whatever order: a batch has all of its messages and no others', () => {
    const run = fc.record({
      /** The stream of each event, by position from 1. */
      streams: fc.array(fc.nat(9), { minLength: 1, maxLength: 40 }),
      partitions: fc.integer({ min: 1, max: 6 }),
      /** Each begins at a checkpoint, writes batches of these sizes, and may be cut off in each partition after so many records. */
      relays: fc.array(
        fc.record({
          from: fc.nat(40),
          sizes: fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 12 }),
          cut: fc.option(fc.nat(20), { nil: null }),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      /** What was removed from the log, or lies before where the reader begins. */
      lost: fc.array(fc.record({ partition: fc.nat(5), from: fc.nat(30), count: fc.integer({ min: 1, max: 10 }) }), {
        maxLength: 4,
      }),
      order: fc.infiniteStream(fc.nat(1_000)),
    });
    fc.assert(
      fc.property(run, ({ streams, partitions, relays, lost, order }) => {
        const pick = (count: number): number => (order.next().value as number) % count;
        const partitionOf = (stream: string) => Number(stream) % partitions;
        const head = streams.length;

        const logs: LiveRecord[][] = Array.from({ length: partitions }, () => []);
        const written = relays.map(({ from, sizes, cut }) => {
          const records: LiveRecord[][] = Array.from({ length: partitions }, () => []);
          let position = Math.min(from, head);
          for (const size of sizes) {
            const through = Math.min(position + size, head);
            const messages = Array.from({ length: through - position }, (_, n) => ({
              stream: String(streams[position + n]),
              message: messageAt(position + n + 1),
            }));
            for (const { partition, headers, value } of toRecords(
              { after: at(position), messages, through: at(through) },
              partitions,
              partitionOf,
            )) {
              const bytes = {
                headers: Object.fromEntries(
                  Object.entries(headers ?? {}).map(([name, text]) => [name, Buffer.from(String(text))]),
                ),
                value: value === null ? null : Buffer.from(String(value)),
              };
              const record = fromRecord(bytes);
              if (record === null) throw new Error('A record of our own was not understood');
              records[partition ?? -1]?.push(record);
            }
            position = through;
          }
          return records.map((all) => (cut === null ? all : all.slice(0, cut)));
        });
        for (const [partition, log] of logs.entries()) {
          const queues = written.map((records) => [...(records[partition] ?? [])]).filter((queue) => queue.length > 0);
          while (queues.length > 0) {
            const index = pick(queues.length);
            const record = queues[index]?.shift();
            if (record) log.push(record);
            if (queues[index]?.length === 0) queues.splice(index, 1);
          }
        }
        for (const { partition, from, count } of lost) logs[partition % partitions]?.splice(from, count);
        // In the end a relay that was not cut off has reached the head in every partition.
        for (const log of logs) log.push(reached(head));

        const merge = createPartitionMerge(partitions);
        let through = -1;
        const next = logs.map(() => 0);
        const take = () => {
          const batch = merge.take();
          if (batch === null) return;
          const [first, last] = [Number(batch.after), Number(batch.through)];
          expect(first).toBeGreaterThanOrEqual(through);
          expect(batch.messages.map(({ seq }) => Number(seq))).toEqual(
            Array.from({ length: last - first }, (_, n) => first + n + 1),
          );
          through = last;
        };
        for (;;) {
          const open = logs.flatMap((log, partition) => ((next[partition] ?? 0) < log.length ? [partition] : []));
          if (open.length === 0) break;
          const partition = open[pick(open.length)] ?? 0;
          const record = logs[partition]?.[next[partition] ?? 0];
          next[partition] = (next[partition] ?? 0) + 1;
          if (record) merge.add(partition, record);
          if (pick(3) > 0) take();
        }
        take();
        expect(through).toBe(head);
        for (const partition of logs.keys()) expect(merge.waiting(partition)).toBe(0);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('records', () => {
  test('of others are none of ours', () => {
    const headers = { after: Buffer.from(at(1)), position: Buffer.from(at(2)), partitions: Buffer.from('6') };
    expect(fromRecord({ headers, value: Buffer.from(JSON.stringify(messageAt(2))) })).toEqual({
      ...says(1, 2),
      partitions: 6,
    });
    expect(fromRecord({ headers, value: null })).toEqual({ ...says(1, 2, false), partitions: 6 });
    for (const [theirs, value] of [
      [{}, null],
      [{ ...headers, position: undefined }, null],
      [{ ...headers, partitions: undefined }, null],
      [{ ...headers, partitions: Buffer.from('six') }, null],
      [{ ...headers, after: headers.position, position: headers.after }, null],
      [{ ...headers, position: Buffer.from('7') }, null],
      [headers, Buffer.from('not JSON')],
      [headers, Buffer.from('null')],
      [headers, Buffer.from(JSON.stringify(messageAt(3)))],
    ] as const)
      expect(fromRecord({ headers: theirs, value })).toBeNull();
  });
});
