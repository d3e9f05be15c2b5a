import {
  DomainError,
  moderationCase,
  removal,
  removalDeadline,
  removalReference,
  toCaseId,
  type Decider,
  type Position,
  type RemovalEvent,
  type RemovalState,
  type Subject,
  findLastPosition,
  applyRemovalRequest,
} from '@alpenglow/domain';
import {
  addRemovalNote,
  appealRemoval,
  decideRemoval,
  decideRemovalAppeal,
  requestRemoval,
  withdrawRemoval,
} from '@alpenglow/domain/deciders';
import {
  createCopySearch,
  createOperationRouter,
  getInput,
  getPath,
  requireRemovalToken,
  setPosition,
  type CommandOrigin,
} from '@alpenglow/infra';
import type { Response } from 'express';
import type { Dependencies } from '../dependencies.ts';
import { runFollowUp } from '../follow-up.ts';
import { createAccountOrigin, createObjectId, createVisitorOrigin } from '../origin.ts';
import { createRemovalLimits } from './removal-limits.ts';
import { findNamedContent, getSite, parseLinks } from './removal-links.ts';

/** The time for the search of copies in the request of a moderator. The job `removal` has more time. */
const SEARCH_ms = 20_000;

type RemovalDependencies = Dependencies<
  | 'pool'
  | 'blobs'
  | 'dataKeys'
  | 'decoder'
  | 'commands'
  | 'ads'
  | 'authentication'
  | 'removalTokens'
  | 'counters'
  | 'hashKey'
  | 'siteUrl'
  | 'log'
>;

/**
 * The operations on requests to remove intimate pictures: those of the requester, who needs no
 * login, and the decisions of moderators.
 */
export function removalRoutes(deps: RemovalDependencies) {
  const { commands, authentication, removalTokens } = deps;
  const limits = createRemovalLimits(deps);
  const copies = createCopySearch(deps);
  const router = createOperationRouter();

  router.on('requestRemoval', async (req, res) => {
    const { statement: _statement, ...fields } = getInput(req);
    const site = getSite(req, deps.siteUrl);
    const links = parseLinks(fields.links, site);
    const subjects = await findNamedContent(deps, links, fields.hashes);
    const origin = createVisitorOrigin(null, res);
    const requestId = createObjectId(origin);
    const { hidesAtOnce, undo } = await limits.admit(fields.email, req.ip, subjects.length);
    const command = { ...fields, requestId, subjects, hidesAtOnce };
    const requested = await commands
      .execute(removal, requestId, requestRemoval, command, origin, { isNew: true })
      .catch(async (error: unknown) => {
        await undo().catch((err: unknown) => deps.log.warn({ err }, 'a removal request remains counted'));
        throw error;
      });
    const carriedOut = await carryOut(requestId, 'request', origin);
    setPosition(res, { position: findLastPosition([requested, { position: carriedOut }]) });
    const requestedAt = requested.state?.requestedAt ?? new Date().toISOString();
    const hidden = await countHidden(subjects);
    res
      .status(201)
      .setHeader('Cache-Control', 'no-store')
      .json({
        success: true,
        message: 'Your request has been received',
        data: {
          id: requestId,
          reference: removalReference(requestId),
          statusUrl: removalTokens.createStatusUrl(site, requestId),
          deadline: removalDeadline(requestedAt),
          contents: subjects.length,
          hidden,
        },
      });
  });

  router.on('addRemovalNote', async (req, res) => {
    const input = getInput(req);
    requireRemovalToken(req, getPath(req).id, removalTokens);
    const origin = createVisitorOrigin(null, res);
    await handle(getPath(req).id, res, 'Your text was added', addRemovalNote, input, origin);
  });

  router.on('withdrawRemoval', async (req, res) => {
    requireRemovalToken(req, getPath(req).id, removalTokens);
    const origin = createVisitorOrigin(null, res);
    await handle(getPath(req).id, res, 'Your request was withdrawn', withdrawRemoval, {}, origin);
  });

  router.on('appealRemoval', async (req, res) => {
    const input = getInput(req);
    requireRemovalToken(req, getPath(req).id, removalTokens);
    const origin = createVisitorOrigin(null, res);
    await handle(getPath(req).id, res, 'Your appeal has been filed', appealRemoval, input, origin);
  });

  router.on('decideRemoval', async (req, res) => {
    const moderatorId = (await authentication.requireModerator(req)).account.accountId;
    const requestId = getPath(req).id;
    const command = { ...getInput(req), moderatorId, ownerIds: await findOwners(requestId) };
    await handle(requestId, res, 'Request decided', decideRemoval, command, createAccountOrigin(moderatorId, res));
  });

  router.on('decideRemovalAppeal', async (req, res) => {
    const moderatorId = (await authentication.requireModerator(req)).account.accountId;
    const requestId = getPath(req).id;
    const command = { ...getInput(req), moderatorId, ownerIds: await findOwners(requestId) };
    await handle(requestId, res, 'Appeal decided', decideRemovalAppeal, command, createAccountOrigin(moderatorId, res));
  });

  /** Executes a command on a request, brings the named content into the required state, and sends the response. */
  async function handle<Command>(
    requestId: string,
    res: Response,
    message: string,
    decide: Decider<Command, RemovalState, RemovalEvent>,
    command: Command,
    origin: CommandOrigin,
  ): Promise<void> {
    const handled = await commands.execute(removal, requestId, decide, command, origin);
    const position = await carryOut(requestId, 'decision or change', origin);
    setPosition(res, { position: findLastPosition([handled, { position }]) });
    res.setHeader('Cache-Control', 'no-store').json({ success: true, message, data: { id: requestId } });
  }

  /** Carries out the state of a request. If this is interrupted, the job `removal` completes it. */
  function carryOut(requestId: string, what: string, origin: CommandOrigin): Promise<Position | null> {
    return runFollowUp(deps.log, `carry out the ${what} of a removal request`, () =>
      applyRemovalRequest({ ...deps, copies }, requestId, origin, AbortSignal.timeout(SEARCH_ms)),
    );
  }

  /** Returns how many of the contents are hidden by their cases. */
  async function countHidden(subjects: readonly Subject[]): Promise<number> {
    const cases = await Promise.all(subjects.map((subject) => commands.load(moderationCase, toCaseId(subject))));
    return cases.filter(({ state }) => state?.isHidingSubject === true).length;
  }

  /** Returns the owners of the contents that a request names. Throws REMOVAL_NOT_FOUND. */
  async function findOwners(requestId: string): Promise<readonly string[]> {
    const { state } = await commands.load(removal, requestId);
    if (state === null) throw new DomainError('REMOVAL_NOT_FOUND');
    const cases = await Promise.all(state.subjects.map((subject) => commands.load(moderationCase, toCaseId(subject))));
    return cases.flatMap(({ state: found }) => found?.ownerId ?? []);
  }

  return router;
}
