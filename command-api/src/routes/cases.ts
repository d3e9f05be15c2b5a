import {
  parseCaseId,
  type CaseId,
  CLAIM_LIFETIME_ms,
  DomainError,
  moderationCase,
  type CaseState,
  type CaseWriteResponse,
  type Decider,
  type Position,
  type ModerationEvent,
  type RestoreCasesResponse,
} from '@alpenglow/domain';
import { claimCase, decideAppeal, decideCase, releaseCase, restoreReported } from '@alpenglow/domain/deciders';
import {
  closeDecidedAccount,
  findHeldContent,
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
    const { revision, ...fields } = getInput(req);
    const { state } = await commands.load(moderationCase, getCaseId(req));
    const wasHidden = state !== null && (await isSubjectHidden(commands, state));
    const held = state && (await findHeldContent(commands, state));
    // A decision to keep content is about the version that the moderator has read, and confirms this version. Any other
    // decision is about the version that was reported.
    const isOfReadVersion = fields.outcome === 'kept' && revision !== undefined && held !== null && state !== null;
    await handleOnCase(req, res, 'Case decided', decideCase, {
      ...fields,
      moderatorId,
      wasHidden,
      held,
      ...(isOfReadVersion && { evidence: { stream: state.evidence.stream, revision } }),
    });
  });

  router.on('decideAppeal', async (req, res) => {
    const moderatorId = await requireModeratorId(req);
    const fields = getInput(req);
    const { state } = await commands.load(moderationCase, getCaseId(req));
    const held = state && (await findHeldContent(commands, state));
    await handleOnCase(req, res, 'Appeal decided', decideAppeal, { ...fields, moderatorId, held });
  });

  router.on('restoreCases', async (req, res) => {
    const adminId = (await authentication.requireAdmin(req)).account.accountId;
    const { caseIds, facts } = getInput(req);
    const origin = createAccountOrigin(adminId, res);
    const positions: { readonly position: Position | null }[] = [];
    let restored = 0;
    const ids = [...new Set(caseIds)];
    for (const caseId of ids.map(parseCaseId)) {
      if (caseId === null) continue;
      const handled = await commands.execute(moderationCase, caseId, restoreReported, { adminId, facts }, origin);
      if (handled.events.length === 0) continue;
      restored += 1;
      positions.push(handled, {
        position: await runFollowUp(deps.log, 'restore reported content', () => settleCase(commands, caseId, origin)),
      });
    }
    setPosition(res, { position: findLastPosition(positions) });
    res.setHeader('Cache-Control', 'no-store').json({
      success: true,
      message: 'The content is visible again',
      data: { restored, unchanged: ids.length - restored },
    } satisfies RestoreCasesResponse);
  });

  return router;
}

/** Returns the id of the moderation case in the request path. Throws CASE_NOT_FOUND if the id is not valid. */
function getCaseId(req: Request): CaseId {
  const id = parseCaseId(String(req.params['id']));
  if (id === null) throw new DomainError('CASE_NOT_FOUND');
  return id;
}
