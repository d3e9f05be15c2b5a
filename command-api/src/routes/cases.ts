import {
  parseCaseId,
  type CaseId,
  CLAIM_LIFETIME_ms,
  DomainError,
  isContinued,
  isHidingOutcome,
  listing,
  media,
  moderationCase,
  toCaseId,
  type CaseState,
  type ResponseOf,
  type DecideCase,
  type DecideCaseFields,
  type Decider,
  type Position,
  type ModerationEvent,
  findHeldContent,
  isSubjectHidden,
  carryOutDecision,
  findLastPosition,
  findDecidedRequestIds,
} from '@alpenglow/domain';
import {
  claimCase,
  decideAppeal,
  decideCase,
  decideLinkedCase,
  releaseCase,
  restoreReported,
} from '@alpenglow/domain/deciders';
import {
  parseJsonBody,
  createOperationRouter,
  getInput,
  getPath,
  setPosition,
  type CommandOrigin,
  type RequestWithPath,
} from '@alpenglow/infra';
import type { Request, Response } from 'express';
import type { Dependencies } from '../dependencies.ts';
import { createAccountOrigin } from '../origin.ts';
import { runFollowUp } from '../follow-up.ts';

type CaseDependencies = Dependencies<'commands' | 'authentication' | 'sessions' | 'log'>;

/** The operations with which moderators handle moderation cases. Each event records the moderator as its actor. */
export function caseRoutes(deps: CaseDependencies) {
  const { commands, authentication } = deps;
  const router = createOperationRouter();

  /** Executes a command on the moderation case in the request path, and sends the response. */
  async function handleOnCase<Command extends { readonly moderatorId: string }>(
    req: RequestWithPath<{ readonly id: CaseId }>,
    res: Response,
    message: string,
    decide: Decider<Command, CaseState, ModerationEvent>,
    command: Command,
  ): Promise<void> {
    const caseId = getPath(req).id;
    const handled = await executeOnCase(deps, caseId, decide, command, createAccountOrigin(command.moderatorId, res));
    sendCase(res, message, caseId, command.moderatorId, handled);
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
    const { alsoCaseIds, ...fields } = getInput(req);
    const caseId = getPath(req).id;
    const origin = createAccountOrigin(moderatorId, res);
    const command = await createDecision(commands, caseId, fields, moderatorId);
    const handled = await executeOnCase(deps, caseId, decideCase, command, origin);
    const positions = [{ position: handled.position }];
    const notDecided: CaseId[] = [];
    for (const linkedId of new Set(alsoCaseIds.map(parseCaseId))) {
      if (linkedId === null || linkedId === caseId) continue;
      try {
        // `revision` belongs to the claimed case. A linked case is decided in its reported version.
        const linked = await createDecision(commands, linkedId, { ...fields, revision: undefined }, moderatorId);
        positions.push(await executeOnCase(deps, linkedId, decideLinkedCase, linked, origin));
      } catch (error) {
        // The first decision is made, so the response names the cases that need their own decision.
        if (!(error instanceof DomainError)) throw error;
        notDecided.push(linkedId);
      }
    }
    const position = findLastPosition(positions);
    sendCase(res, 'Case decided', caseId, moderatorId, { state: handled.state, position }, notDecided);
  });

  router.on('decideAppeal', async (req, res) => {
    const moderatorId = await requireModeratorId(req);
    const fields = getInput(req);
    const { state } = await commands.load(moderationCase, getPath(req).id);
    const held = state && (await findHeldContent(commands, state));
    const decidedRemovalIds = await findDecidedRequestIds(commands, state);
    const command = { ...fields, moderatorId, held, decidedRemovalIds };
    await handleOnCase(req, res, 'Appeal decided', decideAppeal, command);
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
      const handled = await restore(commands, caseId, { adminId, facts }, origin);
      if (handled === null || handled.events.length === 0) continue;
      restored += 1;
      positions.push(handled, {
        position: await runFollowUp(deps.log, 'restore reported content', () =>
          carryOutDecision(deps, caseId, { decidesConsequence: true }, origin),
        ),
      });
    }
    setPosition(res, { position: findLastPosition(positions) });
    res.setHeader('Cache-Control', 'no-store').json({
      success: true,
      message: 'The content is visible again',
      data: { restored, unchanged: ids.length - restored },
    });
  });

  return router;
}

/** Restores reported content. Returns null if a removal request about it is undecided. */
async function restore(
  commands: CaseDependencies['commands'],
  caseId: CaseId,
  { adminId, facts }: { readonly adminId: string; readonly facts: string },
  origin: CommandOrigin,
) {
  const { state } = await commands.load(moderationCase, caseId);
  const command = { adminId, facts, decidedRemovalIds: await findDecidedRequestIds(commands, state) };
  try {
    return await commands.execute(moderationCase, caseId, restoreReported, command, origin);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'REMOVAL_UNDECIDED') return null;
    throw error;
  }
}

/**
 * Executes a command on a moderation case, and applies a decision to the content. If the process ends before the
 * decision is applied, the job `settle-case` applies it. Returns the new state of the case, and the position of the
 * last event of the case and the content.
 */
async function executeOnCase<Command extends { readonly moderatorId: string }>(
  deps: CaseDependencies,
  caseId: CaseId,
  decide: Decider<Command, CaseState, ModerationEvent>,
  command: Command,
  origin: CommandOrigin,
) {
  const { commands } = deps;
  const handled = await commands.execute(moderationCase, caseId, decide, command, origin);
  const isDecided = handled.events.some(({ type }) => type === 'CaseDecided');
  const isAppealDecided = handled.events.some(({ type }) => type === 'AppealDecided');
  const appliedPosition =
    isDecided || isAppealDecided
      ? await runFollowUp(deps.log, 'settle a case', () =>
          carryOutDecision(deps, caseId, { decidesConsequence: isDecided }, origin),
        )
      : null;
  return { state: handled.state, position: findLastPosition([handled, { position: appliedPosition }]) };
}

/**
 * Returns the command that decides a moderation case with the fields of a request. Throws PHOTO_NOT_IN_AD and
 * PHOTO_IS_HIDDEN.
 */
async function createDecision(
  commands: CaseDependencies['commands'],
  caseId: CaseId,
  { revision, ...fields }: Omit<DecideCaseFields, 'alsoCaseIds'>,
  moderatorId: string,
): Promise<DecideCase> {
  const { state } = await commands.load(moderationCase, caseId);
  const decidedRemovalIds = await findDecidedRequestIds(commands, state);
  const wasHidden = state !== null && (await isSubjectHidden(commands, state));
  const held = state && (await findHeldContent(commands, state));
  if (fields.outcome === 'photo_removed') {
    const ad = state?.ownerId ? (await commands.load(listing, state.ownerId)).state.ad : null;
    const { photoId = '' } = fields;
    // The pictures of a demo ad belong to the site, and other ads show them, too.
    const isOwnPhoto = ad !== null && !ad.isDemo && ad.photos.includes(photoId);
    const isOfCase = state?.subject.kind === 'ad' && ad !== null && isContinued(state.subject.id, ad);
    if (!isOwnPhoto || !isOfCase) throw new DomainError('PHOTO_NOT_IN_AD');
    // Only a published photo can be removed with its own decision.
    if ((await commands.load(media, photoId)).state?.status !== 'ready') throw new DomainError('PHOTO_NOT_IN_AD');
    // A photo that its own case hides gets no second decision, so the owner would receive no statement.
    const photoCaseId = toCaseId({ kind: 'media', id: photoId });
    if ((await commands.load(moderationCase, photoCaseId)).state?.isHidingSubject)
      throw new DomainError('PHOTO_IS_HIDDEN');
  }
  // A decision that leaves content visible is about the version that the moderator has read, and confirms this
  // version. Any other decision is about the version that was reported.
  const isOfReadVersion = !isHidingOutcome(fields.outcome) && revision !== undefined && held !== null && state !== null;
  return {
    ...fields,
    moderatorId,
    wasHidden,
    held,
    decidedRemovalIds,
    ...(isOfReadVersion && { evidence: { stream: state.evidence.stream, revision } }),
  };
}

/** Sends the state of a case after a command. `notDecided` names linked cases that need their own decision. */
function sendCase(
  res: Response,
  message: string,
  caseId: CaseId,
  moderatorId: string,
  { state, position }: { readonly state: CaseState; readonly position: Position | null },
  notDecided: readonly CaseId[] = [],
): void {
  setPosition(res, { position });
  const claim = state?.claim ?? null;
  const claimedUntil =
    claim?.moderatorId === moderatorId ? new Date(Date.parse(claim.at) + CLAIM_LIFETIME_ms).toISOString() : null;
  const data = {
    id: caseId,
    claimedUntil,
    decisionId: state?.decision?.decisionId ?? null,
    notDecided: [...notDecided],
  };
  res.setHeader('Cache-Control', 'no-store').json({ success: true, message, data } satisfies ResponseOf<'decideCase'>);
}
