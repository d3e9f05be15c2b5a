import { createPool } from '../../infra/src/adapters/postgres/pool.ts';
import { createPostgresEventStore } from '../../infra/src/adapters/postgres/event-store.ts';
import { anEvent, plannedIds } from './events.ts';
import { printLine } from './print-line.ts';

/** What a writer in a process of its own is to do. Its ids follow from the plan, so a second process can go on where a killed one ended. */
export interface WriterPlan {
  readonly connectionString: string;
  readonly run: string;
  readonly writer: number;
  /** Lanes write side by side; within a lane, each append waits for the answer to the one before. One number a lane: the place to begin at. */
  readonly beginAt: readonly number[];
  readonly appendsPerLane: number;
  readonly eventsPerAppend: number;
  /** Into a stream for each lane with the expected revision, or into a few streams that all writers share, with none. */
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
      await store.append(`${run}-${writer}-${lane}`, events, {
        expectedRevision: begun === 0 ? 'no-stream' : begun - 1,
      });
    } else {
      await store.append(`${run}-${place % SHARED_STREAMS}`, events, { expectedRevision: 'any' });
    }
    printLine(`${lane} ${place}`);
  }
}

await Promise.all(plan.beginAt.map((beginAt, lane) => writeLane(lane, beginAt)));
await store.close();
await pool.end();
