import type { StreamId } from '@alpenglow/domain';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleForNode } from '../support/bundle.mjs';
import { expectWholeHistory, readEventsThrough, takeEventsThrough } from '../support/event-histories.ts';
import type { HandledBatch, SubscriberPlan } from '../support/event-subscriber.ts';
import type { WriterPlan } from '../support/event-writer.ts';
import { anEvent, plannedIds, someEvents, uniqueName } from '../support/events.ts';
import { openPostgresEventStore, type PostgresEventStoreFixture } from '../support/postgres-event-store.ts';
import { runBundle } from '../support/processes.ts';
import { assertProperty } from '../support/property.ts';

describe('event store on Postgres, several processes', () => {
  let fixture: PostgresEventStoreFixture;
  let writer: Awaited<ReturnType<typeof bundleForNode>>;
  let subscriber: Awaited<ReturnType<typeof bundleForNode>>;

  beforeAll(async () => {
    fixture = await openPostgresEventStore();
    writer = await bundleForNode('./event-writer.ts');
    subscriber = await bundleForNode('./event-subscriber.ts');
  });
  afterAll(async () => {
    await fixture.close();
    await Promise.all([writer.remove(), subscriber.remove()]);
  });

  const startWriter = (plan: Omit<WriterPlan, 'connectionString'>) =>
    runBundle(writer.path, { ...plan, connectionString: fixture.connectionString } satisfies WriterPlan);

  /** Returns the event ids of each lane of a writer. A lane is a sequence of appends, one after the other. */
  const eventsOfLanes = ({
    run,
    writer: index,
    beginAt,
    appendsPerLane,
    eventsPerAppend,
  }: Omit<WriterPlan, 'connectionString'>) =>
    beginAt.map((_, lane) =>
      plannedIds({ run, writer: index, lane, appends: appendsPerLane, eventsPerAppend }).map((id) => ({ id })),
    );

  it('delivers every event in position order to every reader while several processes write', async () => {
    // Appends of different sizes run at the same time. A large append takes longer to commit, but readers must still
    // receive it before any later small append.
    const writerArbitrary = fc.record({
      lanes: fc.integer({ min: 1, max: 4 }),
      eventsPerAppend: fc.constantFrom(1, 1, 5, 100),
    });
    await assertProperty(
      fc.asyncProperty(
        fc.array(writerArbitrary, { minLength: 2, maxLength: 4 }),
        fc.integer({ min: 20, max: 40 }),
        fc.constantFrom('own-streams' as const, 'shared-streams' as const),
        async (writers, appendsPerLane, into) => {
          const run = uniqueName('processes');
          const start = await fixture.store.readHead();
          const last = anEvent();
          const abort = new AbortController();
          const subscribed = takeEventsThrough(
            fixture.store.subscribeAll({ after: start, signal: abort.signal }),
            last.id,
          );
          const polled = readEventsThrough(fixture.openAnother(), start, last.id, 500);

          const plans = writers.map(({ lanes, eventsPerAppend }, index) => ({
            run,
            writer: index,
            beginAt: Array.from({ length: lanes }, () => 0),
            appendsPerLane,
            eventsPerAppend,
            into,
          }));
          await Promise.all(plans.map((plan) => startWriter(plan).exited()));
          await fixture.store.append(`${run}-last` as StreamId, [last], { expectedRevision: 'no-stream' });

          const written = [...plans.flatMap(eventsOfLanes), [last]];
          expectWholeHistory(await subscribed, written);
          expectWholeHistory(await polled, written);
          abort.abort();
        },
      ),
      { name: 'histories of writing processes', short: 5, minimum: 5, maximum: 50, time_s: 15 },
    );
  });

  it('stores each append exactly once when the writer is killed repeatedly', async () => {
    const run = uniqueName('killed');
    const [lanes, appendsPerLane, kills] = [8, 150, 6];
    const beginAt = Array.from({ length: lanes }, () => 0);

    for (let attempt = 0; attempt <= kills; attempt += 1) {
      const process = startWriter({
        run,
        writer: 0,
        beginAt: [...beginAt],
        appendsPerLane,
        eventsPerAppend: 2,
        into: 'own-streams',
      });
      let acknowledged = 0;
      for await (const line of process.lines) {
        const [lane, index] = line.split(' ').map(Number) as [number, number];
        beginAt[lane] = index + 1;
        acknowledged += 1;
        if (attempt < kills && acknowledged === 40 + 17 * attempt) process.kill();
      }
      await process.exited();
    }

    for (let lane = 0; lane < lanes; lane += 1) {
      const recorded = await fixture.store.readStream(`${run}-0-${lane}` as StreamId);
      expect(recorded.map(({ id }) => id)).toEqual(
        plannedIds({ run, writer: 0, lane, appends: appendsPerLane, eventsPerAppend: 2 }),
      );
    }
  });

  it('resumes without gaps or duplicates when the subscriber is killed repeatedly', async () => {
    const handled: string[] = [];
    let checkpoint = await fixture.store.readHead();
    const start = checkpoint;

    async function subscribeUntil(isDone: (batches: number) => boolean): Promise<void> {
      const process = runBundle(subscriber.path, {
        connectionString: fixture.connectionString,
        after: checkpoint,
      } satisfies SubscriberPlan);
      let batches = 0;
      for await (const line of process.lines) {
        const batch = JSON.parse(line) as HandledBatch;
        handled.push(...batch.ids);
        checkpoint = batch.checkpoint;
        batches += 1;
        if (isDone(batches)) process.kill();
      }
      await process.exited();
    }

    let isWriting = true;
    const writing = (async () => {
      while (isWriting)
        await fixture.store.append(uniqueName('stream'), someEvents(3), { expectedRevision: 'no-stream' });
    })();
    for (const batchesUntilKill of [1, 2, 5, 20, 50]) await subscribeUntil((batches) => batches >= batchesUntilKill);
    isWriting = false;
    await writing;
    const { position: last } = await fixture.store.append(uniqueName('stream'), someEvents(1), {
      expectedRevision: 'no-stream',
    });
    await subscribeUntil(() => checkpoint === last);

    const stored: string[] = [];
    for (let after = start; after !== last; ) {
      const page = await fixture.store.readAll({ after });
      stored.push(...page.map(({ id }) => id));
      after = page.at(-1)?.position ?? after;
    }
    expect(handled).toEqual(stored);
  });
});
