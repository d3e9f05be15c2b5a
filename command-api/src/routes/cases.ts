import {
  parseCaseId,
  type CaseId,
  CLAIM_LIFETIME_ms,
  DomainError,
  moderationCase,
  type CaseState,
  type CaseWriteResponse,
  type Decider,
  type ModerationEvent,
} from '@alpenglow/domain';
import { claimCase, decideAppeal, decideCase, releaseCase } from '@alpenglow/domain/deciders';
import {
  closeDecidedAccount,
  isSubjectHidden,
  parseJsonBody,
  createOperationRouter,
  getInput,
  setPosition,
  settleCase,
  findLastPosition,
} from '@alpenglow/infra';
import type { Request, Response } from 'express';
import type { Dependencies } from '../dependencies.ts';
import { createAccountOrigin } from '../origin.ts';
import { runFollowUp } from '../follow-up.ts';

/** The operations with which moderators handle moderation cases. Each event records the moderator as its actor. */
export function caseRoutes(deps: Dependencies<'commands' | 'authentication' | 'sessions' | 'log'>) {
  const { commands, authentication } = deps;
  const router = createOperationRouter();

  /**
   * Executes a command on the moderation case in the request path, applies a decision to the content, and sends the
   * response. If the process ends before the decision is applied, the job `settle-case` applies it.
   */
  async function handleOnCase<Command extends { readonly moderatorId: string }>(
    req: Request,
    res: Response,
    message: string,
    decide: Decider<Command, CaseState, ModerationEvent>,
    command: Command,
  ): Promise<void> {
    const caseId = getCaseId(req);
    const { moderatorId } = command;
    const origin = createAccountOrigin(moderatorId, res);
    const handled = await commands.execute(moderationCase, caseId, decide, command, origin);
    const isDecided = handled.events.some(({ type }) => type === 'CaseDecided' || type === 'AppealDecided');
    const applyDecision = async () =>
      findLastPosition([
        { position: await settleCase(commands, caseId, origin) },
        { position: await closeDecidedAccount(deps, caseId, origin) },
      ]);
    const appliedPosition = isDecided ? await runFollowUp(deps.log, 'settle a case', applyDecision) : null;
    setPosition(res, { position: findLastPosition([handled, { position: appliedPosition }]) });
    const claim = handled.state?.claim ?? null;
    const claimedUntil =
      claim?.moderatorId === moderatorId ? new Date(Date.parse(claim.at) + CLAIM_LIFETIME_ms).toISOString() : null;
    const data = { id: caseId, claimedUntil, decisionId: handled.state?.decision?.decisionId ?? null };
    res.setHeader('Cache-Control', 'no-store').json({ success: true, message, data } satisfies CaseWriteResponse);
  }

  const requireModeratorId = async (req: Request) => (await authentication.requireModerator(req)).account.accountId;

  router.on('claimCase', parseJsonBody, async (req, res) => {
    const moderatorId = await requireModeratorId(req);
    await handleOnCase(req, res, 'Case claimed', claimCase, { moderatorId });
  });

  router.on('releaseCase', parseJsonBody, async (req, res) => {
    const moderatorId = await requireModeratorId(req);
    await handleOnCase(req, res, 'Case released', releaseCase, { moderatorId });
  });

  router.on('decideCase', async (req, res) => {
    const moderatorId = await requireModeratorId(req);
    const fields = getInput(req);
    const { state } = await commands.load(moderationCase, getCaseId(req));
    const wasHidden = state !== null && (await isSubjectHidden(commands, state));
    await handleOnCase(req, res, 'Case decided', decideCase, { ...fields, moderatorId, wasHidden });
  });

  router.on('decideAppeal', async (req, res) => {
    const moderatorId = await requireModeratorId(req);
    const fields = getInput(req);
    await handleOnCase(req, res, 'Appeal decided', decideAppeal, { ...fields, moderatorId });
  });

  return router;
}

/** Returns the id of the moderation case in the request path. Throws CASE_NOT_FOUND if the id is not valid. */
function getCaseId(req: Request): CaseId {
  const id = parseCaseId(String(req.params['id']));
  if (id === null) throw new DomainError('CASE_NOT_FOUND');
  return id;
}
