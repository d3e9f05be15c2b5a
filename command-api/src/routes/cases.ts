import {
  CASE_ID,
  claimCase,
  CLAIM_LIFETIME_ms,
  decideAppeal,
  decideAppealFields,
  decideCase,
  decideCaseFields,
  DomainError,
  moderationCase,
  releaseCase,
  type CaseState,
  type CaseWriteAnswer,
  type DecisionContext,
  type ModerationEvent,
} from '@alpenglow/domain';
import {
  closeAsDecided,
  isSubjectHidden,
  jsonBody,
  parseInput,
  setPosition,
  settleCase,
  type Authentication,
  type CommandHandler,
  type Logger,
  type Principal,
  type Sessions,
} from '@alpenglow/infra';
import { Router, type Request, type Response } from 'express';
import { bodyOf } from '../ad-input.ts';
import { afterwards } from '../afterwards.ts';
import { lastPositionOf } from '../last-position.ts';
import { staffOrigin } from './staff-requests.ts';

export interface CaseDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly sessions: Sessions;
  readonly log: Logger;
}

type Decide = (state: CaseState, context: DecisionContext) => readonly ModerationEvent[];

/** What moderators do with cases, to be mounted at `/admin/moderation/cases`. Each moderator is the actor of what they do. */
export function caseRoutes(deps: CaseDependencies): Router {
  const { commands, authentication } = deps;
  const router = Router();

  /** Handles a command on the case a path names, has its subject follow, and answers. Where that breaks off, the job `settle-case` finishes it. */
  async function onCase(
    req: Request,
    res: Response,
    moderator: Principal,
    message: string,
    decide: Decide,
  ): Promise<void> {
    const caseId = caseIdFrom(req);
    const moderatorId = moderator.account.accountId;
    const origin = staffOrigin(moderator, res);
    const handled = await commands.handle(moderationCase, caseId, decide, origin);
    const decided = handled.events.some(({ type }) => type === 'CaseDecided' || type === 'AppealDecided');
    const follow = async () =>
      lastPositionOf([
        { position: await settleCase(commands, caseId, origin) },
        { position: await closeAsDecided(deps, caseId, origin) },
      ]);
    const followed = decided ? await afterwards(deps.log, 'settle a case', follow) : null;
    setPosition(res, { position: lastPositionOf([handled, { position: followed }]) });
    const claim = handled.state?.claim ?? null;
    const claimedUntil =
      claim?.moderatorId === moderatorId ? new Date(Date.parse(claim.at) + CLAIM_LIFETIME_ms).toISOString() : null;
    const data = { id: caseId, claimedUntil, decisionId: handled.state?.decision?.decisionId ?? null };
    res.setHeader('Cache-Control', 'no-store').json({ success: true, message, data } satisfies CaseWriteAnswer);
  }

  router.post('/:id/claim', jsonBody, async (req, res) => {
    const moderator = await authentication.requireModerator(req);
    await onCase(req, res, moderator, 'Case claimed', (state, context) =>
      claimCase(moderator.account.accountId, state, context),
    );
  });

  router.post('/:id/release', jsonBody, async (req, res) => {
    const moderator = await authentication.requireModerator(req);
    await onCase(req, res, moderator, 'Case released', (state) => releaseCase(moderator.account.accountId, state));
  });

  router.post('/:id/decide', jsonBody, async (req, res) => {
    const moderator = await authentication.requireModerator(req);
    const said = parseInput(decideCaseFields, bodyOf(req));
    const { state } = await commands.load(moderationCase, caseIdFrom(req));
    const wasHidden = state !== null && (await isSubjectHidden(commands, state));
    await onCase(req, res, moderator, 'Case decided', (now, context) =>
      decideCase({ ...said, moderatorId: moderator.account.accountId, wasHidden }, now, context),
    );
  });

  router.post('/:id/appeal', jsonBody, async (req, res) => {
    const moderator = await authentication.requireModerator(req);
    const said = parseInput(decideAppealFields, bodyOf(req));
    await onCase(req, res, moderator, 'Appeal decided', (now, context) =>
      decideAppeal({ ...said, moderatorId: moderator.account.accountId }, now, context),
    );
  });

  return router;
}

/** The case a request's path names. Throws CASE_NOT_FOUND for what cannot be a case's id. */
function caseIdFrom(req: Request): string {
  const id = req.params['id'];
  if (typeof id !== 'string' || !CASE_ID.test(id)) throw new DomainError('CASE_NOT_FOUND');
  return id;
}
