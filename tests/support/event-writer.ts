import type { StreamId } from '@alpenglow/domain';
import { createPool } from '../../infra/src/adapters/postgres/pool.ts';
import { createPostgresEventStore } from '../../infra/src/adapters/postgres/event-store.ts';
import { anEvent, plannedIds } from './events.ts';
import { printLine } from './print-line.ts';

/**
 * Input of a process that writes events. The process derives all event ids from this input. Another process with the
 * same input can therefore resume the work of a killed process.
 */
export interface WriterPlan {
  readonly connectionString: string;
  readonly run: string;
  readonly writer: number;
  /**
   * Number of the first append of each lane. A lane is a sequence of appends that run one after another. All lanes run
   * in parallel.
   */
  readonly beginAt: readonly number[];
  readonly appendsPerLane: number;
  readonly eventsPerAppend: number;
  /** Each lane writes either to its own stream with an expected revision, or to streams that all lanes share. */
  readonly into: 'own-streams' | 'shared-streams';
}

const SHARED_STREAMS = 3;

const plan = JSON.parse(process.argv[2] ?? '') as WriterPlan;
const pool = createPool({ connectionString: plan.connectionString, max: 1, applicationName: 'test-writer' });
const store = createPostgresEventStore({ pool, connectionString: plan.connectionString });

async function writeLane(lane: number, beginAt: number): Promise<void> {
  const { run, writer, appendsPerLane, eventsPerAppend, into } = plan;
  const ids = plannedIds({ run, writer, lane, appends: appendsPerLane, eventsPerAppend });
  for (let place = beginAt; place < appendsPerLane; place += 1) {
    const begun = place * eventsPerAppend;
    const events = ids.slice(begun, begun + eventsPerAppend).map((id) => anEvent({ id }));
    if (into === 'own-streams') {
      await store.append(`${run}-${writer}-${lane}` as StreamId, events, {
        expectedRevision: begun === 0 ? 'no-stream' : begun - 1,
      });
    } else {
      await store.append(`${run}-${place % SHARED_STREAMS}` as StreamId, events, { expectedRevision: 'any' });
    }
    printLine(`${lane} ${place}`);
  }
}

await Promise.all(plan.beginAt.map((beginAt, lane) => writeLane(lane, beginAt)));
await store.close();
await pool.end();
