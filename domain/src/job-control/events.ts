import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

/** What admins have done to jobs. What becomes of a job itself is the queue's, not history. */
const job = { kind: z.string(), jobId: z.string() };
/** The shape is the same: from version 2 on they are in the moderation log, which is never filled in afterwards (decision 0039). */
const logged = { version: 2, upcasts: { 1: (data: unknown) => data } };

/** A job that was dead, or waited for its time, is to be tried now. */
export const JobRetried = defineEvent('JobRetried', { ...logged, schema: z.object(job) });
/** A job will never be done. */
export const JobRemoved = defineEvent('JobRemoved', { ...logged, schema: z.object(job) });
/** Every dead job of a kind is to be tried again. */
export const DeadJobsRetried = defineEvent('DeadJobsRetried', { ...logged, schema: z.object({ kind: z.string() }) });

export const jobControlEvents = [JobRetried, JobRemoved, DeadJobsRetried] as const;
export type JobControlEvent = EventOf<(typeof jobControlEvents)[number]>;
