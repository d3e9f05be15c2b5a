import type { Position } from '@alpenglow/domain';
import { createPool } from '../../infra/src/adapters/postgres/pool.ts';
import { createPostgresEventStore } from '../../infra/src/adapters/postgres/event-store.ts';
import { printLine } from './print-line.ts';

/**
 * Input of a process that subscribes to events. The process prints each batch until it is killed. The last printed line
 * contains the checkpoint from which another subscriber can resume.
 */
export interface SubscriberPlan {
  readonly connectionString: string;
  readonly after: Position;
}

/** Content of a line that the process prints. */
export interface HandledBatch {
  readonly checkpoint: Position;
  readonly ids: readonly string[];
}

const plan = JSON.parse(process.argv[2] ?? '') as SubscriberPlan;
const pool = createPool({ connectionString: plan.connectionString, max: 1, applicationName: 'test-subscriber' });
const store = createPostgresEventStore({ pool, connectionString: plan.connectionString });

for await (const batch of store.subscribeAll({ after: plan.after, signal: new AbortController().signal })) {
  const handled: HandledBatch = { checkpoint: batch.at(-1)?.position ?? plan.after, ids: batch.map(({ id }) => id) };
  printLine(JSON.stringify(handled));
}
