import {
  DomainError,
  jobControl,
  RETRIED_JOBS_MAX,
  type JobControlEvent,
  type JobInspector,
  type JobKind,
  type JobsWrittenAnswer,
} from '@alpenglow/domain';
import {
  closingOf,
  isJobKind,
  JOB_MOVES,
  setPosition,
  type Authentication,
  type CommandHandler,
  type Principal,
  type ReadModelProgress,
} from '@alpenglow/infra';
import { Router, type Request, type Response } from 'express';
import { staffOrigin } from './staff-requests.ts';

export interface JobDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly inspector: JobInspector;
  readonly progress: Pick<ReadModelProgress, 'waitFor'>;
}

/**
 * The calls by which admins retry and remove jobs. A call reads the queue, then writes the request as an event. That is its last step that can
 * fail. A duty of the projectors carries the request out (decision 0049). So the moderation log has every action, and no refused call left an event.
 */
export function jobRoutes({ commands, authentication, inspector, progress }: JobDependencies): Router {
  const router = Router();

  /** Writes what is asked for and answers, after a short wait, so that who looks again at once usually finds it done. */
  async function ask(
    kind: JobKind,
    event: JobControlEvent,
    admin: Principal,
    res: Response,
    { message, count }: { readonly message: string; readonly count: number },
  ): Promise<void> {
    const handled = await commands.handle(jobControl, kind, () => [event], staffOrigin(admin, res));
    if (handled.position !== null) await progress.waitFor(JOB_MOVES, handled.position, closingOf(res));
    setPosition(res, handled);
    res.status(202).json({ success: true, message, data: { count } } satisfies JobsWrittenAnswer);
  }

  router.post('/:queue/retry', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const kind = kindIn(req);
    const count = Math.min((await inspector.counts())[kind].dead, RETRIED_JOBS_MAX);
    await ask(kind, { type: 'DeadJobsRetried', data: { kind } }, admin, res, {
      message: `Jobs to be tried again: ${count}`,
      count,
    });
  });

  router.post('/:queue/:id/retry', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { kind, jobId } = await jobIn(req);
    await ask(kind, { type: 'JobRetried', data: { kind, jobId } }, admin, res, {
      message: 'The job will be tried now',
      count: 1,
    });
  });

  router.delete('/:queue/:id', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { kind, jobId } = await jobIn(req);
    await ask(kind, { type: 'JobRemoved', data: { kind, jobId } }, admin, res, {
      message: 'The job will be removed',
      count: 1,
    });
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
