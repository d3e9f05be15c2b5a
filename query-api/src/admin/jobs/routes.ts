import {
  DomainError,
  JOB_STATES,
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  type InspectedJob,
  type JobAnswer,
  type JobCard,
  type JobInspector,
  type JobKind,
  type JobsAnswer,
  type JobState,
  type QueuesAnswer,
} from '@alpenglow/domain';
import { isJobKind, parseInput, type Authentication } from '@alpenglow/infra';
import { Router, type Request } from 'express';
import * as z from 'zod/mini';
import { queueViews } from './queue-views.ts';

export interface JobReadDependencies {
  readonly authentication: Authentication;
  readonly inspector: JobInspector;
}

const BAD_LIMIT = `limit must be a whole number from 1 to ${LIST_LIMIT_MAX}`;
const BAD_CURSOR = 'This cursor is not one of ours';
const query = z.object({
  state: z.optional(z.union([z.literal(''), z.enum(JOB_STATES)], `state must be one of ${JOB_STATES.join(', ')}`)),
  /** How many jobs stand before the page: a queue has no other place that stays. */
  cursor: z.optional(z.string(BAD_CURSOR).check(z.regex(/^[0-9]{0,7}$/u, BAD_CURSOR))),
  limit: z.optional(
    z.string(BAD_LIMIT).check(
      z.regex(/^[0-9]{1,3}$/u, BAD_LIMIT),
      z.refine((text) => Number(text) >= 1 && Number(text) <= LIST_LIMIT_MAX, BAD_LIMIT),
    ),
  ),
});

/** The calls by which admins look into the queues. */
export function jobReadRoutes({ authentication, inspector }: JobReadDependencies): Router {
  const router = Router();

  router.get('/', async (req, res) => {
    await authentication.requireAdmin(req);
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data: queueViews(await inspector.counts()) } satisfies QueuesAnswer);
  });

  router.get('/:queue', async (req, res) => {
    await authentication.requireAdmin(req);
    const kind = kindIn(req);
    const { state, cursor, limit } = parseInput(query, req.query);
    const page = { offset: Number(cursor || 0), limit: limit === undefined ? LIST_LIMIT_DEFAULT : Number(limit) };
    const { jobs, next } = await inspector.list(kind, (state || 'dead') satisfies JobState, page);
    res
      .setHeader('Cache-Control', 'no-store')
      .json({
        success: true,
        data: jobs.map(cardOf),
        nextCursor: next === null ? null : String(next),
      } satisfies JobsAnswer);
  });

  router.get('/:queue/:id', async (req, res) => {
    await authentication.requireAdmin(req);
    const { id } = req.params;
    const job = typeof id === 'string' ? await inspector.find(kindIn(req), id) : null;
    if (!job) throw new DomainError('JOB_NOT_FOUND');
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data: { ...cardOf(job), payload: job.payload, stack: job.stack } } satisfies JobAnswer);
  });

  return router;
}

function kindIn({ params: { queue } }: Request): JobKind {
  if (typeof queue !== 'string' || !isJobKind(queue)) throw new DomainError('JOB_NOT_FOUND');
  return queue;
}

function cardOf({ payload: _payload, stack: _stack, ...card }: InspectedJob): JobCard {
  return card;
}
