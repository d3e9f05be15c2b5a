import * as z from 'zod/mini';
import { JOB_STATES } from '../../admin-fields.ts';
import { count, done, message, nextCursor, said, time } from './common.ts';

const kind = said(z.string(), 'The kind of work, which has a queue of its own.');

/** How many jobs of a kind are in which state. */
export const queueView = z.object({
  kind,
  waiting: said(count, 'Would begin now.'),
  active: said(count, 'Under way.'),
  delayed: said(count, 'To begin at a set time.'),
  failed: said(count, 'Failed, and will be tried again.'),
  dead: said(count, 'Failed as often as it may; nobody tries again by itself.'),
});

export const queuesAnswer = z.object({ success: done, data: z.array(queueView) });

const jobFields = {
  id: z.string(),
  kind,
  state: z.enum(JOB_STATES),
  attempts: said(count, 'How often it failed.'),
  maxAttempts: count,
  enqueuedAt: time,
  nextAt: said(z.nullable(time), 'When it will be tried; null where that is not set.'),
  startedAt: said(z.nullable(time), 'When it was begun last.'),
  endedAt: said(z.nullable(time), 'When it failed for good.'),
  error: said(z.nullable(z.string()), 'What its last failure said; addresses and codes in it are masked.'),
};

/** A job in a list. */
export const jobCard = z.object(jobFields);
export const jobsAnswer = z.object({ success: done, data: z.array(jobCard), nextCursor });

/** A job in full. */
export const jobView = z.object({
  ...jobFields,
  payload: said(
    z.array(z.object({ name: z.string(), value: z.string() })),
    'What it is about, by ids; what could be personal is masked.',
  ),
  stack: said(z.array(z.string()), 'Where its last failures came from, the newest last; masked as `error` is.'),
});
export const jobAnswer = z.object({ success: done, data: jobView });

/** Answer of the calls that retry or remove jobs. */
export const jobsWrittenAnswer = z.object({
  success: done,
  message,
  data: z.object({ count: said(count, 'How many jobs it was.') }),
});
