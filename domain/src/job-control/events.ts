import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

/** Requests of admins to retry or remove jobs. A duty of the projectors carries them out (decision 0049). The state of a job is in the queue, not in events. */
const job = { kind: z.string(), jobId: z.string() };
const asItIs = (data: unknown) => data;
/**
 * The shape is the same. From version 2 on they are in the moderation log, which is never filled in afterwards (decision 0039). From version
 * `JOB_CONTROL_ASKED_SINCE` on the duty does what they ask; before, the call that wrote one had done it by itself.
 */
const logged = { version: 3, upcasts: { 1: asItIs, 2: asItIs } };
export const JOB_CONTROL_ASKED_SINCE = 3;

/** A job that was dead, or waited for its time, is to be tried now. */
export const JobRetried = defineEvent('JobRetried', { ...logged, schema: z.object(job) });
/** A job is to be taken away: what it would have done is not done. */
export const JobRemoved = defineEvent('JobRemoved', { ...logged, schema: z.object(job) });
/** Every dead job of a kind is to be tried again. */
export const DeadJobsRetried = defineEvent('DeadJobsRetried', { ...logged, schema: z.object({ kind: z.string() }) });

export const jobControlEvents = [JobRetried, JobRemoved, DeadJobsRetried] as const;
export type JobControlEvent = EventOf<(typeof jobControlEvents)[number]>;
