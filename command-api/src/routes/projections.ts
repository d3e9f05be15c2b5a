import {
  cancelRebuild,
  DomainError,
  parkedPositionOf,
  pauseRebuild,
  PROJECTION_NAME,
  replay,
  requestRebuild,
  requestSwap,
  resumeRebuild,
  retryParkedEvent,
  revertRebuild,
  skipFields,
  skipParkedEvent,
  type DoneAnswer,
  type RebuildRequestedAnswer,
  type ReplayEvent,
  type ReplayStanding,
  type ReplayState,
} from '@alpenglow/domain';
import {
  jsonBody,
  parseInput,
  requestIdOf,
  setPosition,
  type Authentication,
  type CommandHandler,
  type CommandOrigin,
  type KnownParkedEvent,
  type ReplayDirectory,
} from '@alpenglow/infra';
import { Router, type Request, type Response } from 'express';
import { bodyOf } from '../ad-input.ts';

export interface ProjectionDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly replays: ReplayDirectory;
}

type Decide = (projection: string, standing: ReplayStanding, state: ReplayState) => readonly ReplayEvent[];

/** What admins may ask of a projection as a whole, and what they are told. */
const ACTIONS: Readonly<
  Record<'pause' | 'resume' | 'cancel' | 'swap' | 'revert', { readonly decide: Decide; readonly message: string }>
> = {
  pause: { decide: pauseRebuild, message: 'The rebuild will pause' },
  resume: { decide: resumeRebuild, message: 'The rebuild will go on' },
  cancel: { decide: cancelRebuild, message: 'The rebuild will be cancelled' },
  swap: { decide: requestSwap, message: 'The rebuilt tables will be swapped in' },
  revert: { decide: revertRebuild, message: 'The previous tables will be swapped in' },
};

/** What admins ask of projections (`POST /admin/projections/…`). The projectors do it; the position an answer names is that of their having heard of it. */
export function projectionRoutes({ commands, authentication, replays }: ProjectionDependencies): Router {
  const router = Router();

  async function ask(name: string, origin: CommandOrigin, res: Response, decide: Decide): Promise<void> {
    const standing = await replays.standingOf(name);
    if (!standing) throw new DomainError('PROJECTION_NOT_FOUND');
    setPosition(res, await commands.handle(replay, name, (state) => decide(name, standing, state), origin));
  }

  async function adminOf(req: Request, res: Response): Promise<CommandOrigin> {
    const { account } = await authentication.requireAdmin(req);
    return { actor: { kind: 'account', accountId: account.accountId }, correlationId: requestIdOf(res) };
  }

  router.post('/:name/rebuild', async (req, res) => {
    const origin = await adminOf(req, res);
    const rebuildId = crypto.randomUUID();
    await ask(projectionOf(req), origin, res, (name, standing, state) =>
      requestRebuild(name, rebuildId, standing, state),
    );
    res
      .status(202)
      .json({
        success: true,
        message: 'The projection will be rebuilt',
        data: { rebuildId },
      } satisfies RebuildRequestedAnswer);
  });

  for (const [action, { decide, message }] of Object.entries(ACTIONS)) {
    router.post(`/:name/${action}`, async (req, res) => {
      const origin = await adminOf(req, res);
      await ask(projectionOf(req), origin, res, decide);
      res.status(202).json(done(message));
    });
  }

  async function parkedOf(req: Request): Promise<KnownParkedEvent> {
    const position = parkedPositionOf(String(req.params['position']));
    const parked = position && (await replays.parkedAt(projectionOf(req), position));
    if (!parked) throw new DomainError('PARKED_EVENT_NOT_FOUND');
    return parked;
  }

  router.post('/:name/parked/:position/retry', async (req, res) => {
    const origin = await adminOf(req, res);
    const { eventId, position } = await parkedOf(req);
    await ask(projectionOf(req), origin, res, (name) => retryParkedEvent(name, { eventId, position }));
    res.status(202).json(done('The event will be tried again'));
  });

  router.post('/:name/parked/:position/skip', jsonBody, async (req, res) => {
    const origin = await adminOf(req, res);
    const { reason } = parseInput(skipFields, bodyOf(req));
    const { eventId, position, subjectId } = await parkedOf(req);
    await ask(projectionOf(req), origin, res, (name, _standing, state) =>
      skipParkedEvent(name, { eventId, position, subjectId, reason }, state),
    );
    res.status(202).json(done('The event will be left out'));
  });

  return router;
}

/** The projection a path names. Throws PROJECTION_NOT_FOUND for what cannot be one. */
function projectionOf(req: Request): string {
  const name = req.params['name'];
  if (typeof name !== 'string' || !PROJECTION_NAME.test(name)) throw new DomainError('PROJECTION_NOT_FOUND');
  return name;
}

function done(message: string): DoneAnswer {
  return { success: true, message };
}
