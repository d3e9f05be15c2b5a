import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';

/**
 * Events that record requests of admins to retry or remove background jobs. A background task of the projectors carries
 * out the requests (decision 0049). The state of a job is stored only in the queue, not in events.
 */
const job = { kind: z.string(), jobId: z.string() };
const unchanged = (data: unknown) => data;
/**
 * All versions have the same shape. Events of version 2 and later are in the moderation log. Events of version 1 are
 * never added to the log (decision 0039). The background task of the projectors carries out requests from version
 * `JOB_CONTROL_REQUEST_VERSION` on. Requests with an earlier version were carried out by the operation that wrote the
 * event.
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
  /**
   * An admin requests that every dead job of a kind is retried. `count` is the number of dead jobs at the time of the
   * request. Earlier events do not contain it.
   */
  defineEvent('DeadJobsRetried', {
    ...logged,
    schema: z.object({ kind: z.string(), count: z.optional(z.number()) }),
  }),
] as const;
export type JobControlEvent = EventFromDefinition<(typeof jobControlEvents)[number]>;
