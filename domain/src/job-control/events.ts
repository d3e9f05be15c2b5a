import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';

/**
 * The events record requests of admins to retry or remove jobs. A background duty of the projectors carries the
 * requests out (decision 0049). The queue, and not the events, stores the state of a job.
 */
const job = { kind: z.string(), jobId: z.string() };
const unchanged = (data: unknown) => data;
/**
 * All versions have the same shape. Events of version 2 and later are in the moderation log. Earlier events are never
 * added to it afterwards (decision 0039). The duty carries out requests from version `JOB_CONTROL_REQUEST_VERSION` on.
 * Earlier requests were carried out by the operation that wrote the event.
 */
const logged = {
  version: 3,
  upcasters: { 1: unchanged, 2: unchanged },
  personalFields: {},
  secretFields: [],
  moderationLog: { sinceVersion: 2 },
  disclosedTo: 'nobody',
} as const;
export const JOB_CONTROL_REQUEST_VERSION = 3;

export const jobControlEvents = [
  /** An admin requests that a dead or delayed job is retried now. */
  defineEvent('JobRetried', { ...logged, schema: z.object(job) }),
  /** An admin requests that a job is removed without execution. */
  defineEvent('JobRemoved', { ...logged, schema: z.object(job) }),
  /** An admin requests that every dead job of a kind is retried. */
  defineEvent('DeadJobsRetried', { ...logged, schema: z.object({ kind: z.string() }) }),
] as const;
export type JobControlEvent = EventFromDefinition<(typeof jobControlEvents)[number]>;
