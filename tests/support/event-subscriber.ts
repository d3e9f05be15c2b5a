import type { Position } from '@alpenglow/domain';
import { createPool } from '../../infra/src/adapters/postgres/pool.ts';
import { createPostgresEventStore } from '../../infra/src/adapters/postgres/event-store.ts';
import { printLine } from './print-line.ts';

/** What a subscriber in a process of its own is to do: print each batch, the print being both its work and its checkpoint, until it is killed. */
export interface SubscriberPlan {
  readonly connectionString: string;
  readonly after: Position;
}

/** One printed line. */
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
