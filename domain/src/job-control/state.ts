import type { Aggregate } from '../aggregate.ts';
import { jobControlEvents, type JobControlEvent } from './events.ts';

/** Its streams, `jobs-{kind}`, only keep who did what: nothing is decided by them. */
export const jobControl: Aggregate<null, JobControlEvent> = {
  name: 'jobs',
  initial: null,
  evolve: () => null,
  definitions: jobControlEvents,
};
