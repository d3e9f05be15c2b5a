import {
  DomainError,
  parseParkedPosition,
  replay,
  type ResponseOf,
  type ReplayEvent,
  type ReplayStatus,
  type ReplayState,
  type Decider,
  type Decision,
  type ChangeRebuild,
} from '@alpenglow/domain';
import {
  cancelRebuild,
  pauseRebuild,
  requestRebuild,
  requestSwap,
  resumeRebuild,
  retryParkedEvent,
  revertRebuild,
  skipParkedEvent,
} from '@alpenglow/domain/deciders';
import type { OperationId } from '@alpenglow/domain/api';
import {
  createOperationRouter,
  getInput,
  getPath,
  setPosition,
  type CommandOrigin,
  type ParkedEventInfo,
} from '@alpenglow/infra';
import type { Request, Response } from 'express';
import type { Dependencies } from '../dependencies.ts';
import { createObjectId, createOrigin } from '../origin.ts';

/**
 * The actions on the rebuild of a read model, each with the function that decides about it and the message of the
 * response.
 */
const ACTIONS = {
  pauseRebuild: { decide: pauseRebuild, message: 'The rebuild will pause' },
  resumeRebuild: { decide: resumeRebuild, message: 'The rebuild will go on' },
  cancelRebuild: { decide: cancelRebuild, message: 'The rebuild will be cancelled' },
  swapRebuild: { decide: requestSwap, message: 'The rebuilt tables will be swapped in' },
  revertRebuild: { decide: revertRebuild, message: 'The previous tables will be swapped in' },
} as const satisfies Partial<
  Record<OperationId, { readonly decide: Decider<ChangeRebuild, ReplayState, ReplayEvent>; readonly message: string }>
>;

/**
 * `POST /admin/projections/…`: the operations of admins on projections, which fill the read models. An operation stores
 * an event that requests an action, e.g. a rebuild. It returns the position of this event in the event log. The
 * projectors, another service, perform the action later.
 */
export function projectionRoutes({
  commands,
  authentication,
  replays,
}: Dependencies<'commands' | 'authentication' | 'replays'>) {
  const router = createOperationRouter();

  async function requestAction<Command>(
    projection: string,
    origin: CommandOrigin,
    res: Response,
    decide: Decider<Command, ReplayState, ReplayEvent>,
    createCommand: (standing: ReplayStatus) => Command | Promise<Command>,
  ): Promise<void> {
    const created: Command[] = [];
    const before = async () => {
      const standing = await replays.findState(projection);
      if (!standing) throw new DomainError('PROJECTION_NOT_FOUND');
      created.push(await createCommand(standing));
    };
    const decideCreated: Decision<ReplayState, ReplayEvent> = (state, context) =>
      created.flatMap((command) => decide(command, state, context));
    setPosition(res, await commands.handle(replay, projection, decideCreated, origin, { before }));
  }

  async function requireAdminOrigin(req: Request, res: Response): Promise<CommandOrigin> {
    return createOrigin(await authentication.requireAdmin(req), res);
  }

  router.on('rebuildProjection', async (req, res) => {
    const origin = await requireAdminOrigin(req, res);
    const rebuildId = createObjectId(origin);
    const { name: projection } = getPath(req);
    await requestAction(projection, origin, res, requestRebuild, (status) => ({ projection, rebuildId, status }));
    res.status(202).json({
      success: true,
      message: 'The projection will be rebuilt',
      data: { rebuildId },
    });
  });

  for (const id of Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]) {
    const { decide, message } = ACTIONS[id];
    router.on(id, async (req, res) => {
      const origin = await requireAdminOrigin(req, res);
      const { name: projection } = getPath(req);
      await requestAction(projection, origin, res, decide, (status) => ({ projection, status }));
      res.status(202).json(createResponse(message));
    });
  }

  async function findParkedEvent(projection: string, text: string): Promise<ParkedEventInfo> {
    const position = parseParkedPosition(text);
    const parked = position && (await replays.findParkedEvent(projection, position));
    if (!parked) throw new DomainError('PARKED_EVENT_NOT_FOUND');
    return parked;
  }

  router.on('retryParkedEvent', async (req, res) => {
    const origin = await requireAdminOrigin(req, res);
    const { name: projection } = getPath(req);
    await requestAction(projection, origin, res, retryParkedEvent, async () => {
      const { eventId, position } = await findParkedEvent(projection, req.params.position);
      return { projection, eventId, position };
    });
    res.status(202).json(createResponse('The event will be tried again'));
  });

  router.on('skipParkedEvent', async (req, res) => {
    const origin = await requireAdminOrigin(req, res);
    const { reason } = getInput(req);
    const { name: projection } = getPath(req);
    await requestAction(projection, origin, res, skipParkedEvent, async () => {
      const { eventId, position, subjectId } = await findParkedEvent(projection, req.params.position);
      return { projection, eventId, position, subjectId, reason };
    });
    res.status(202).json(createResponse('The event will be left out'));
  });

  return router;
}

function createResponse(message: string): ResponseOf<'pauseRebuild'> {
  return { success: true, message };
}
