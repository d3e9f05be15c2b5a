import { DomainError, type InspectedJob, type JobCard, type JobKind } from '@alpenglow/domain';
import { isJobKind, createOperationRouter, getQuery } from '@alpenglow/infra';
import type { Request } from 'express';
import { sendUncached } from '../../send-uncached.ts';
import type { Dependencies } from '../../dependencies.ts';
import { createQueueViews } from './queue-views.ts';

/** The API operations with which admins read the queues of background jobs. */
export function jobReadRoutes({ authentication, inspector }: Dependencies<'authentication' | 'inspector'>) {
  const router = createOperationRouter();

  router.on('listQueues', async (req, res) => {
    await authentication.requireAdmin(req);
    sendUncached(res, { success: true, data: createQueueViews(await inspector.countJobs()) });
  });

  router.on('listJobs', async (req, res) => {
    await authentication.requireAdmin(req);
    const kind = parseKind(req);
    const { state, cursor, limit } = getQuery(req);
    const { jobs, next } = await inspector.list(kind, state, { offset: Number(cursor ?? 0), limit });
    const nextCursor = next === null ? null : String(next);
    sendUncached(res, { success: true, data: jobs.map(createCard), nextCursor });
  });

  router.on('getJob', async (req, res) => {
    await authentication.requireAdmin(req);
    const { id } = req.params;
    const job = typeof id === 'string' ? await inspector.find(parseKind(req), id) : null;
    if (!job) throw new DomainError('JOB_NOT_FOUND');
    const data = { ...createCard(job), payload: job.payload, stack: job.stack };
    sendUncached(res, { success: true, data });
  });

  return router;
}

function parseKind({ params: { queue } }: Request): JobKind {
  if (typeof queue !== 'string' || !isJobKind(queue)) throw new DomainError('JOB_NOT_FOUND');
  return queue;
}

function createCard({ payload: _payload, stack: _stack, ...card }: InspectedJob): JobCard {
  return card;
}
