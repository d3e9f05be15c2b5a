import type { LiveMessage, LogMark, Position, RelayBatch, StreamId } from '@alpenglow/domain';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KafkaMessage } from 'kafkajs';
import { createFollowerProgress } from '../../infra/src/adapters/kafka/follower-progress.ts';
import { parseRecord, toRecords } from '../../infra/src/adapters/kafka/live-record.ts';
import { createPartitionMerge, type LiveRecord } from '../../infra/src/adapters/kafka/partition-merge.ts';
import { createLogCheck } from '../../infra/src/adapters/kafka/log-check.ts';
import { createRelayRuns } from '../../infra/src/adapters/kafka/relay-runs.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { bump } from '../support/live-events.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { withStaleFirstReads } from '../support/stale-reads.ts';
import { assertProperty } from '../support/property.ts';

const at = (n: number): Position => (n === 0 ? '' : String(n).padStart(19, '0')) as Position;
const messageAt = (n: number): LiveMessage => ({
  seq: at(n),
  type: 'ad_bumped',
  adId: `ad-${n}`,
  place: null,
  isRestored: false,
  at: '2026-11-21T12:00:00.000Z',
});
const recordAt = (after: number, position: number, isMessage = true): LiveRecord => ({
  after: at(after),
  position: at(position),
  message: isMessage ? messageAt(position) : null,
  id: `id of ${position}`,
  run: 'run 1',
});
const headRecordAt = (position: number) => recordAt(position, position, false);

/**
 * Merges records in the order of the list. Returns each resulting batch as the numbers `[after, …messages, through]`.
 */
function mergeRecords(
  partitions: number,
  records: readonly (readonly [partition: number, record: LiveRecord])[],
): number[][] {
  const merge = createPartitionMerge(partitions);
  return records.flatMap(([partition, record]) => {
    merge.add(partition, record);
    const batch = merge.takeBatch();
    return batch ? [[batch.after, ...batch.messages.map(({ seq }) => seq), batch.through].map(Number)] : [];
  });
}

describe('the merge of partitions', () => {
  test('starts after all partitions have sent a record, at the highest first position of a partition', () => {
    expect(
      mergeRecords(3, [
        [0, recordAt(3, 5)],
        [1, recordAt(4, 6)],
        [2, headRecordAt(2)],
        [2, recordAt(2, 4, false)],
      ]),
    ).toEqual([[4, 4]]);
  });
  test('returns messages in position order up to the position that all partitions have reached', () => {
    expect(
      mergeRecords(2, [
        [0, headRecordAt(0)],
        [1, headRecordAt(0)],
        [0, recordAt(0, 2)],
        [0, recordAt(2, 3)],
        [1, recordAt(0, 1)],
        [1, recordAt(1, 3, false)],
      ]),
    ).toEqual([
      [0, 0],
      [0, 1, 1],
      [1, 2, 3, 3],
    ]);
  });
  test('skips records that a partition has already delivered', () => {
    expect(
      mergeRecords(1, [
        [0, headRecordAt(0)],
        [0, recordAt(0, 1)],
        [0, recordAt(1, 2)],
        [0, recordAt(0, 1)],
        [0, recordAt(1, 2)],
        [0, recordAt(2, 3)],
      ]),
    ).toEqual([
      [0, 0],
      [0, 1, 1],
      [1, 2, 2],
      [2, 3, 3],
    ]);
  });
  test('restarts after a gap and omits the messages before the new start', () => {
    expect(
      mergeRecords(2, [
        [0, headRecordAt(1)],
        [1, headRecordAt(1)],
        [1, recordAt(1, 3)],
        [0, recordAt(5, 6)],
        [1, recordAt(3, 7)],
        [0, recordAt(6, 7, false)],
      ]),
    ).toEqual([
      [1, 1],
      [5, 6, 6],
      [6, 7, 7],
    ]);
  });
  test('continues at the end of a previous merge, or restarts after a gap', () => {
    const merge = createPartitionMerge(1, at(5));
    merge.add(0, recordAt(2, 4));
    expect(merge.takeBatch()).toBeNull();
    merge.add(0, recordAt(4, 6));
    expect(merge.takeBatch()).toEqual({ after: at(5), messages: [messageAt(6)], through: at(6), throughId: 'id of 6' });
    const later = createPartitionMerge(1, at(5));
    later.add(0, recordAt(7, 8));
    expect(later.takeBatch()).toEqual({ after: at(7), messages: [messageAt(8)], through: at(8), throughId: 'id of 8' });
  });
  test('does not treat the first record of a late relay as the end of its partition', () => {
    // The second record is from a relay that started at position 6. The records between the positions 3 and 6 are
    // missing, so the merge restarts at position 6.
    expect(
      mergeRecords(1, [
        [0, recordAt(2, 3)],
        [0, recordAt(6, 7)],
      ]),
    ).toEqual([
      [2, 3, 3],
      [6, 7, 7],
    ]);
  });

  test('returns batches without missing or repeated messages, for any relays and any order of records', () => {
    const run = fc.record({
      /** Number of the stream of each event. The events have the positions 1, 2, 3 and so on. */
      streams: fc.array(fc.nat(9), { minLength: 1, maxLength: 40 }),
      partitions: fc.integer({ min: 1, max: 6 }),
      /**
       * Relays that write messages to the partitions. A relay starts at the position `from` and writes batches of these
       * `sizes`. At most `cut` of its records arrive in each partition.
       */
      relays: fc.array(
        fc.record({
          from: fc.nat(40),
          sizes: fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 12 }),
          cut: fc.option(fc.nat(20), { nil: null }),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      /**
       * Records that a reader does not receive, because they were removed from the log or the reader started after
       * them.
       */
      lost: fc.array(fc.record({ partition: fc.nat(5), from: fc.nat(30), count: fc.integer({ min: 1, max: 10 }) }), {
        maxLength: 4,
      }),
      order: fc.infiniteStream(fc.nat(1_000)),
    });
    return assertProperty(
      fc.property(run, ({ streams, partitions, relays, lost, order }) => {
        const pick = (count: number): number => (order.next().value as number) % count;
        const partitionOf = (stream: string) => Number(stream) % partitions;
        const head = streams.length;

        const logs: LiveRecord[][] = Array.from({ length: partitions }, () => []);
        const written = relays.map(({ from, sizes, cut }, relay) => {
          const records: LiveRecord[][] = Array.from({ length: partitions }, () => []);
          let position = Math.min(from, head);
          for (const size of sizes) {
            const through = Math.min(position + size, head);
            const messages = Array.from({ length: through - position }, (_, n) => ({
              stream: String(streams[position + n]) as StreamId,
              message: messageAt(position + n + 1),
            }));
            for (const { partition, headers, value } of toRecords(
              { after: at(position), messages, through: at(through), run: `run ${relay}` },
              partitions,
              partitionOf,
            )) {
              const bytes = {
                headers: Object.fromEntries(
                  Object.entries(headers ?? {}).map(([name, text]) => [name, Buffer.from(String(text))]),
                ),
                value: value === null ? null : Buffer.from(String(value)),
              };
              const record = parseRecord(bytes);
              if (record === null) throw new Error('A record that this test wrote is not readable');
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
        // The last record of every partition is at the end of the event log, so that the merge can reach this end.
        for (const log of logs) log.push({ ...headRecordAt(head), run: 'run last' });

        const merge = createPartitionMerge(partitions);
        let now_ms = 0;
        const runs = createRelayRuns(partitions, { accept: merge.add, now: () => now_ms });
        const startRuns = () => {
          for (let run = runs.nextRun(); run !== null; run = runs.nextRun()) runs.start(run, { isNewLog: false });
        };
        let through = -1;
        const next = logs.map(() => 0);
        const take = () => {
          const batch = merge.takeBatch();
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
          if (record) runs.add(partition, record);
          startRuns();
          if (pick(3) > 0) take();
        }
        // The first record of a run may be lost in a partition. The other partitions then wait up to a time limit.
        for (; runs.timeLeft_ms() !== null; startRuns()) now_ms += runs.timeLeft_ms() ?? 0;
        take();
        expect(through).toBe(head);
        for (const partition of logs.keys()) {
          expect(merge.waitingCount(partition)).toBe(0);
          expect(runs.waitingCount(partition)).toBe(0);
        }
      }),
      { name: 'merged live feeds', short: 2_000, minimum: 2_000, maximum: 20_000, time_s: 5 },
    );
  });
});

/** A follower of a topic with two partitions. Messages with even numbers are in partition 0, others in partition 1. */
function followTopic(isInLog: (event: LogMark) => boolean) {
  const PARTITIONS = 2;
  const progress = createFollowerProgress({ isInLog: async (event) => isInLog(event) });
  progress.offsets(PARTITIONS);
  return {
    /** Returns the Kafka records of each partition for a run that publishes the events after `after`. */
    publish(run: string, log: string, after: number, through: number): readonly (readonly KafkaMessage[])[] {
      const ofEvent = (n: number) => `${log} ${n}`;
      const begin: RelayBatch = { after: at(after), messages: [], through: at(after), throughId: ofEvent(after), run };
      const events = Array.from({ length: through - after }, (_, n) => after + n + 1);
      const batch: RelayBatch = {
        after: at(after),
        messages: events.map((n) => ({
          stream: String(n) as StreamId,
          message: { ...messageAt(n), eventId: ofEvent(n) },
        })),
        through: at(through),
        throughId: ofEvent(through),
        run,
      };
      const records = [begin, batch].flatMap((one) => toRecords(one, PARTITIONS, (stream) => Number(stream) % 2));
      return Array.from({ length: PARTITIONS }, (_, number) =>
        records.flatMap(({ partition, headers, value }) =>
          partition === number
            ? ({
                headers: Object.fromEntries(
                  Object.entries(headers ?? {}).map(([name, text]) => [name, Buffer.from(String(text))]),
                ),
                value: value === null ? null : Buffer.from(String(value)),
              } as unknown as KafkaMessage)
            : [],
        ),
      );
    },
    read: (partition: number, messages: readonly KafkaMessage[] = []) =>
      progress.receive({ partition, messages, next: 0n }),
    /** Returns all batches up to the end position `through`, and whether a batch reported a replaced log. */
    async take(through: number) {
      const signal = AbortSignal.timeout(MAX_WAIT_ms);
      const messages: (string | undefined)[] = [];
      const restarts: number[] = [];
      for (;;) {
        const batch = await progress.next(signal, () => undefined);
        if (batch === null) throw new Error(`The follower did not reach ${through}`);
        if (batch.isLogReplaced) restarts.push(Number(batch.after));
        messages.push(...batch.messages.map(({ eventId }) => eventId));
        if (Number(batch.through) >= through) return { messages, restarts };
      }
    },
  };
}

describe('a run of the relay', () => {
  test('repeats no message if the log contains the last event, even if one partition is read later', async () => {
    const follower = followTopic(({ id }) => id?.startsWith('old') ?? false);
    const runs = [
      follower.publish('1', 'old', 0, 4),
      follower.publish('2', 'old', 2, 6),
      follower.publish('3', 'old', 5, 8),
    ];
    for (const partition of [0, 1]) for (const records of runs) follower.read(partition, records[partition]);
    expect(await follower.take(8)).toEqual({
      messages: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `old ${n}`),
      restarts: [],
    });
  });

  test('starts the delivery again if the log has lost an event, even if only one partition contained it', async () => {
    const follower = followTopic(({ id, position }) => (id?.startsWith('new') || Number(position) <= 2) ?? false);
    const first = follower.publish('1', 'old', 0, 2);
    for (const partition of [0, 1]) follower.read(partition, first[partition]);
    expect(await follower.take(2)).toEqual({ messages: ['old 1', 'old 2'], restarts: [] });
    const lost = follower.publish('2', 'old', 2, 5);
    const next = follower.publish('3', 'new', 2, 6);
    // Partition 0 has no lost message that the follower has delivered. Partition 1 is read later.
    follower.read(0, [...(lost[0] ?? []), ...(next[0] ?? [])]);
    follower.read(1, [...(lost[1] ?? []), ...(next[1] ?? [])]);
    // A relay of the lost log still writes.
    const late = follower.publish('2', 'old', 5, 20);
    for (const partition of [0, 1]) follower.read(partition, late[partition]);
    expect(await follower.take(6)).toEqual({ messages: [3, 4, 5, 6].map((n) => `new ${n}`), restarts: [2] });
  });

  test('reports no replaced log if nothing was delivered before', async () => {
    const follower = followTopic(({ id }) => id?.startsWith('new') ?? false);
    const runs = [follower.publish('1', 'old', 0, 5), follower.publish('2', 'new', 3, 4)];
    for (const partition of [0, 1]) for (const records of runs) follower.read(partition, records[partition]);
    expect(await follower.take(4)).toEqual({ messages: ['new 4'], restarts: [] });
  });

  test('begins after a time limit if a partition lacks its first record', () => {
    let now_ms = 0;
    const accepted: LiveRecord[] = [];
    const runs = createRelayRuns(2, { accept: (_, record) => accepted.push(record), now: () => now_ms });
    const record = { ...recordAt(0, 1), run: '1' };
    runs.add(0, record);
    expect(runs.nextRun()).toBeNull();
    expect(accepted).toEqual([]);
    now_ms += runs.timeLeft_ms() ?? 0;
    expect(runs.nextRun()).toBe('1');
    runs.start('1', { isNewLog: false });
    expect(accepted).toEqual([record]);
    expect(runs.timeLeft_ms()).toBeNull();
  });
});

describe('the check of the event log', () => {
  const { signal } = new AbortController();
  const silent = { debug: () => undefined, warn: () => undefined };

  test('finds the event if the first read is stale, and no lost event', async () => {
    const store = createMemoryEventStore();
    const position = await bump(store, ['ad']);
    const [event] = await store.readAll({ after: at(0) });
    const check = () => createLogCheck({ store: withStaleFirstReads(store), log: silent });
    expect(await check()({ position, id: event?.id ?? null }, signal)).toBe(true);
    expect(await check()({ position, id: 'lost' }, signal)).toBe(false);
    expect(await check()({ position: at(9), id: 'lost' }, signal)).toBe(false);
  });

  test('returns false for a position of another kind of store, and null after an abort', async () => {
    const check = createLogCheck({ store: createMemoryEventStore(), log: silent });
    expect(await check({ position: 'elsewhere' as Position, id: 'lost' }, signal)).toBe(false);
    expect(await check({ position: at(1), id: 'lost' }, AbortSignal.abort())).toBeNull();
  });
});

describe('fromRecord', () => {
  test('has the span of a message in a header, and not in the value that browsers receive', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const message = { ...messageAt(2), eventId: 'id of 2', traceparent };
    const batch: RelayBatch = {
      after: at(1),
      messages: [{ stream: 'a' as StreamId, message }],
      through: at(2),
      throughId: 'id of 2',
    };
    const [record] = toRecords(batch, 1, () => 0);
    expect(String(record?.value)).not.toContain('traceparent');
    const headers = Object.fromEntries(
      Object.entries(record?.headers ?? {}).map(([name, text]) => [name, Buffer.from(String(text))]),
    );
    expect(parseRecord({ headers, value: Buffer.from(String(record?.value)) })?.message).toEqual(message);
  });

  test('returns null for records of other applications', () => {
    const headers = {
      after: Buffer.from(at(1)),
      position: Buffer.from(at(2)),
      partitions: Buffer.from('6'),
      id: Buffer.from('id of 2'),
      run: Buffer.from('run 1'),
    };
    expect(parseRecord({ headers, value: Buffer.from(JSON.stringify(messageAt(2))) })).toEqual({
      ...recordAt(1, 2),
      message: { ...messageAt(2), eventId: 'id of 2' },
      partitions: 6,
    });
    expect(parseRecord({ headers, value: null })).toEqual({ ...recordAt(1, 2, false), partitions: 6 });
    for (const [foreignHeaders, value] of [
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
      expect(parseRecord({ headers: foreignHeaders, value })).toBeNull();
  });
});
