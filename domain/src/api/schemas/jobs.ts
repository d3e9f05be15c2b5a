import * as z from 'zod/mini';
import { registerView } from '../component.ts';
import { JOB_STATES } from '../../admin-fields.ts';
import { count, message, nextCursor, described, timestamp, registerSuccess } from './common.ts';

const kind = described(z.string(), 'The kind of work. Each kind has its own queue.');

/** The number of background jobs of one kind, by state. */
export const queueView = registerView('QueueView', {
  kind,
  waiting: described(count, 'Ready to start.'),
  active: described(count, 'In progress.'),
  delayed: described(count, 'Scheduled for a later time.'),
  failed: described(count, 'Failed, and will be retried.'),
  dead: described(count, 'Failed permanently. Such a job is not retried automatically.'),
});

export const queuesResponse = registerSuccess('QueuesAnswer', { data: z.array(queueView) });

const jobFields = {
  id: z.string(),
  kind,
  state: z.enum(JOB_STATES),
  attempts: described(count, 'Number of failed attempts.'),
  maxAttempts: count,
  enqueuedAt: timestamp,
  nextAt: described(z.nullable(timestamp), 'Time of the next attempt, or null.'),
  startedAt: described(z.nullable(timestamp), 'Start of the last attempt.'),
  endedAt: described(z.nullable(timestamp), 'Time of the final failure.'),
  error: described(z.nullable(z.string()), 'Message of the last error, with addresses and codes masked.'),
};

/** A background job in a list. */
export const jobCard = registerView('JobCard', jobFields);
export const jobsResponse = registerSuccess('JobsAnswer', { data: z.array(jobCard), nextCursor });

/** A background job with all details that admins may read. */
export const jobView = registerView('JobView', {
  ...jobFields,
  payload: described(
    z.array(z.object({ name: z.string(), value: z.string() })),
    'The ids in the payload. Data that could be personal is masked.',
  ),
  stack: described(z.array(z.string()), 'Stack traces of the last errors, the newest last, masked like `error`.'),
});
export const jobResponse = registerSuccess('JobAnswer', { data: jobView });

/** Response of the operations that retry or remove background jobs. */
export const jobActionResponse = registerSuccess('JobsWrittenAnswer', {
  message,
  data: z.object({ count: described(count, 'Number of affected jobs.') }),
});
