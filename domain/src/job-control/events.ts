import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

/** What admins have done to jobs. What becomes of a job itself is the queue's, not history. */
const job = { kind: z.string(), jobId: z.string() };

/** A job that was dead, or waited for its time, is to be tried now. */
export const JobRetried = defineEvent('JobRetried', { version: 1, schema: z.object(job) });
/** A job will never be done. */
export const JobRemoved = defineEvent('JobRemoved', { version: 1, schema: z.object(job) });
/** Every dead job of a kind is to be tried again. */
export const DeadJobsRetried = defineEvent('DeadJobsRetried', { version: 1, schema: z.object({ kind: z.string() }) });

export const jobControlEvents = [JobRetried, JobRemoved, DeadJobsRetried] as const;
export type JobControlEvent = EventOf<(typeof jobControlEvents)[number]>;
