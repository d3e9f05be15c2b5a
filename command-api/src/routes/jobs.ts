import { DomainError, jobControl, type JobControlEvent, type JobInspector, type JobKind, type JobsWrittenAnswer, type JobWish } from '@alpenglow/domain';
import { isJobKind, setPosition, type Authentication, type CommandHandler, type Principal } from '@alpenglow/infra';
import { Router, type Request, type Response } from 'express';
import { staffOrigin } from './staff-requests.ts';

export interface JobDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly inspector: JobInspector;
}

/** The calls by which admins retry and remove jobs. Each keeps who did it, before it is done: the queue itself remembers nobody. */
export function jobRoutes({ commands, authentication, inspector }: JobDependencies): Router {
  const router = Router();

  async function keep(kind: JobKind, event: JobControlEvent, admin: Principal, res: Response): Promise<void> {
    setPosition(res, await commands.handle(jobControl, kind, () => [event], staffOrigin(admin, res)));
  }

  router.post('/:queue/retry', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const kind = kindIn(req);
    await keep(kind, { type: 'DeadJobsRetried', data: { kind } }, admin, res);
    const count = await inspector.retryDead(kind);
    res.json({ success: true, message: `Jobs to be tried again: ${count}`, data: { count } } satisfies JobsWrittenAnswer);
  });

  router.post('/:queue/:id/retry', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { kind, jobId } = await jobIn(req);
    await keep(kind, { type: 'JobRetried', data: { kind, jobId } }, admin, res);
    refuseUnlessDone(await inspector.retry(kind, jobId));
    res.json({ success: true, message: 'The job will be tried now', data: { count: 1 } } satisfies JobsWrittenAnswer);
  });

  router.delete('/:queue/:id', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { kind, jobId } = await jobIn(req);
    await keep(kind, { type: 'JobRemoved', data: { kind, jobId } }, admin, res);
    refuseUnlessDone(await inspector.remove(kind, jobId));
    res.json({ success: true, message: 'Job removed', data: { count: 1 } } satisfies JobsWrittenAnswer);
  });

  /** The job a path names. Throws JOB_NOT_FOUND, JOB_UNDER_WAY while a worker is at it. */
  async function jobIn(req: Request): Promise<{ readonly kind: JobKind; readonly jobId: string }> {
    const kind = kindIn(req);
    const { id } = req.params;
    const found = typeof id === 'string' ? await inspector.find(kind, id) : null;
    if (!found) throw new DomainError('JOB_NOT_FOUND');
    if (found.state === 'active') throw new DomainError('JOB_UNDER_WAY');
    return { kind, jobId: found.id };
  }

  return router;
}

function kindIn({ params: { queue } }: Request): JobKind {
  if (typeof queue !== 'string' || !isJobKind(queue)) throw new DomainError('JOB_NOT_FOUND');
  return queue;
}

/** It was there a moment ago: a worker may have taken or done it since. */
function refuseUnlessDone(outcome: JobWish): void {
  if (outcome === 'unknown') throw new DomainError('JOB_NOT_FOUND');
  if (outcome === 'under-way') throw new DomainError('JOB_UNDER_WAY');
}
