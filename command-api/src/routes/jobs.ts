import {
  DomainError,
  jobControl,
  RETRY_DEAD_MAX,
  type JobControlEvent,
  type JobKind,
  type ResponseOf,
} from '@alpenglow/domain';
import {
  getCloseSignal,
  isJobKind,
  JOB_MOVES,
  createOperationRouter,
  setPosition,
  type Principal,
} from '@alpenglow/infra';
import type { Request, Response } from 'express';
import type { Dependencies } from '../dependencies.ts';
import { createOrigin } from '../origin.ts';

/**
 * The operations with which admins retry and remove background jobs. An operation checks the queue and then stores the
 * requested action as an event. The moderation log therefore contains every action, and a rejected request stores no
 * event. The projectors, another service, perform the action later (decision 0049).
 */
export function jobRoutes({
  commands,
  authentication,
  inspector,
  progress,
}: Dependencies<'commands' | 'authentication' | 'inspector' | 'progress'>) {
  const router = createOperationRouter();

  /**
   * Stores the requested action as an event and sends the response. `createEvent` checks the queue and returns the
   * event. It is not called for a repeated request whose event is already stored. Before the response, the function
   * waits a short time until the action is performed. If the client then reloads the list of jobs, the list usually
   * shows the result.
   */
  async function requestAction(
    kind: JobKind,
    createEvent: () => Promise<JobControlEvent>,
    admin: Principal,
    res: Response,
    createResponse: (event: JobControlEvent) => { readonly message: string; readonly count: number },
  ): Promise<void> {
    const created: JobControlEvent[] = [];
    const before = async () => void created.push(await createEvent());
    const handled = await commands.handle(jobControl, kind, () => created, createOrigin(admin, res), { before });
    if (handled.position !== null) await progress.waitFor(JOB_MOVES, handled.position, getCloseSignal(res));
    setPosition(res, handled);
    const [event] = handled.events as readonly JobControlEvent[];
    if (!event) throw new Error('The requested action has no event');
    const { message, count } = createResponse(event);
    res.status(202).json({ success: true, message, data: { count } } satisfies ResponseOf<'retryDeadJobs'>);
  }

  router.on('retryDeadJobs', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const kind = parseKind(req);
    const createEvent = async () => {
      const count = Math.min((await inspector.countJobs())[kind].dead, RETRY_DEAD_MAX);
      return { type: 'DeadJobsRetried', data: { kind, count } } as const;
    };
    await requestAction(kind, createEvent, admin, res, ({ data }) => {
      const count = ('count' in data && data.count) || 0;
      return { message: `Jobs to be tried again: ${count}`, count };
    });
  });

  router.on('retryJob', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const kind = parseKind(req);
    const createEvent = async () => ({ type: 'JobRetried', data: await findJob(kind, req) }) as const;
    await requestAction(kind, createEvent, admin, res, () => ({ message: 'The job will be tried now', count: 1 }));
  });

  router.on('removeJob', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const kind = parseKind(req);
    const createEvent = async () => ({ type: 'JobRemoved', data: await findJob(kind, req) }) as const;
    await requestAction(kind, createEvent, admin, res, () => ({ message: 'The job will be removed', count: 1 }));
  });

  /**
   * Finds the background job in the request path. Throws JOB_NOT_FOUND, or JOB_UNDER_WAY while a worker runs the job.
   */
  async function findJob(kind: JobKind, req: Request): Promise<{ readonly kind: JobKind; readonly jobId: string }> {
    const { id } = req.params;
    const found = typeof id === 'string' ? await inspector.find(kind, id) : null;
    if (!found) throw new DomainError('JOB_NOT_FOUND');
    if (found.state === 'active') throw new DomainError('JOB_UNDER_WAY');
    return { kind, jobId: found.id };
  }

  return router;
}

function parseKind({ params: { queue } }: Request): JobKind {
  if (typeof queue !== 'string' || !isJobKind(queue)) throw new DomainError('JOB_NOT_FOUND');
  return queue;
}
