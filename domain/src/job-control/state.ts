import type { Aggregate } from '../aggregate.ts';
import { jobControlEvents, type JobControlEvent } from './events.ts';

/**
 * The aggregate of the streams `jobs-{kind}`, which record requests of admins. It has no state, because no decision
 * depends on earlier requests.
 */
export const jobControl: Aggregate<null, JobControlEvent> = {
  name: 'jobs',
  initial: null,
  evolve: () => null,
  eventDefinitions: jobControlEvents,
};
