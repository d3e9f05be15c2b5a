import type { Aggregate } from '../aggregate.ts';
import { jobControlEvents, type JobControlEvent } from './events.ts';

/**
 * The aggregate of the event streams `jobs-{kind}`, which record requests of admins to retry or remove background jobs.
 * The state is always null, because no decision depends on earlier requests.
 */
export const jobControl: Aggregate<null, JobControlEvent> = {
  name: 'jobs',
  initial: null,
  evolve: () => null,
  eventDefinitions: jobControlEvents,
};
