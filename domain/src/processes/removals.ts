import { isContinued, listing } from '../listing/state.ts';
import type { ListingState } from '../listing/slot.ts';
import type { EndRemovalHold, JudgedSubject } from '../moderation/commands.ts';
import { endRemovalHold, holdForRemoval } from '../moderation/removal-request-holds.ts';
import { moderationCase, outcomesOf, type CaseState, type ModerationCase } from '../moderation/state.ts';
import { toCaseId, type CaseId, type Subject } from '../moderation/subject.ts';
import type { AdDirectory } from '../ports/ad-directory.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { CommandHandler, CommandOrigin } from '../ports/command-handler.ts';
import { findLastPosition, type Position, type Writes } from '../ports/event-store.ts';
import { PostponedJobError } from '../ports/job-queue.ts';
import type { CompleteRemoval, IdentityCopy } from '../removal/commands.ts';
import { completeRemoval } from '../removal/decide.ts';
import { REMOVAL_WITHDRAWN_FACTS } from '../removal/fields.ts';
import { removal, validDecisionOf, type RemovalRequest } from '../removal/state.ts';
import { decideAsConsequence } from './carry-out-decision.ts';
import { findHeldContent } from './held-content.ts';
import { processCommand, sendCommand, type ProcessCommand } from './process-command.ts';
import { recordIdentityCopiesCommand, removeIdentityCopy } from './remove-identity-copies.ts';
import { settleCase } from './settle-case.ts';
import { findSubject } from './subject-state.ts';

/** Finds copies of pictures and videos on this site. */
export interface CopySearch {
  /**
   * Returns all known copies of the photos and videos with the ids `mediaIds`, and of pictures with the hashes of a
   * removal request: the ids of files, and identity checks.
   */
  find(
    files: { readonly mediaIds: readonly string[]; readonly hashes: readonly string[] },
    signal: AbortSignal,
  ): Promise<{ readonly mediaIds: readonly string[]; readonly identityCopies: readonly IdentityCopy[] }>;
  /** Checks whether a process of another build runs, which may not know the event that records identity checks. */
  haveOtherReaders(): Promise<boolean>;
}

export interface RemovalDependencies {
  readonly commands: CommandHandler;
  readonly ads: AdDirectory;
  readonly blobs: BlobStore;
  readonly copies: CopySearch;
  /**
   * False if the personal data of the request may be missing, e.g. its hashes. A valid request is then not completed,
   * because some copies may remain. The default is true.
   */
  readonly mayComplete?: boolean;
}

/** The delay after which the job runs again while a process of another build cannot read an event of the removal. */
const OTHER_BUILD_WAIT_ms = 10_000;

/**
 * Brings the content that a removal request names into the state that the request requires: hidden while it waits
 * removed with all known copies if it is valid, and visible again if it was rejected or withdrawn
 * . Each step may already be done, so a repeated call completes an interrupted one. A content that fails does
 * not stop the others. Rejects at the end with the first error. Rejects with `PostponedJobError` if identity checks
 * have copies and a process of another build runs. Returns the position of the last event, or null if nothing was
 * written. `signal` stops the reading of photos.
 */
export async function applyRemovalRequest(
  deps: RemovalDependencies,
  requestId: string,
  origin: CommandOrigin,
  signal: AbortSignal,
): Promise<Position | null> {
  const { state } = await deps.commands.load(removal, requestId);
  switch (state?.status) {
    case undefined:
      return null;
    case 'open': {
      const position = await hideNamed(deps, state, origin);
      // The request may have been decided meanwhile. Its content must then not stay hidden as if it waited.
      const { state: after } = await deps.commands.load(removal, requestId);
      if (after?.status === 'open') return position;
      return (await applyRemovalRequest(deps, requestId, origin, signal)) ?? position;
    }
    case 'withdrawn':
    case 'rejected':
      return endHolds(deps, state, origin);
    case 'valid':
    case 'completed':
      return removeAll(deps, state, origin, signal);
  }
}

/** Calls `work` for each item, also after a failure. Rejects at the end with the first error. */
async function attemptEach<Item>(items: Iterable<Item>, work: (item: Item) => Promise<Writes>): Promise<Writes> {
  const writes: { readonly position: Position | null }[] = [];
  const errors: unknown[] = [];
  for (const item of items) {
    try {
      writes.push(...(await work(item)));
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return writes;
}

/** Runs the steps in order, also after a failure. Rejects at the end with the first error. */
const attemptSteps = (steps: readonly (() => Promise<Writes>)[]) => attemptEach(steps, (step) => step());

async function hideNamed(
  deps: RemovalDependencies,
  { requestId, subjects, hidesAtOnce }: RemovalRequest,
  origin: CommandOrigin,
): Promise<Position | null> {
  const { commands } = deps;
  const writes = await attemptEach(subjects, async (subject) => {
    const found = await findSubject(deps, subject);
    if (!found) return [];
    const caseId = toCaseId(found.subject);
    const { state } = await commands.load(moderationCase, caseId);
    const canHide = hidesAtOnce && !(await isRejectedBefore(commands, state));
    const held = await sendCommand(commands, holdForRemovalCommand(requestId, found, canHide), origin);
    return [held, { position: await settleCase(commands, caseId, origin) }];
  });
  return findLastPosition(writes);
}

/**
 * Checks whether a moderator has rejected a removal request about this version of the content. A repeated request then
 * waits for a moderator, but does not hide the content.
 */
async function isRejectedBefore(commands: Pick<CommandHandler, 'load'>, state: CaseState): Promise<boolean> {
  if (state === null) return false;
  const contentRevision = (await findHeldContent(commands, state))?.contentRevision ?? 0;
  for (const { id, revision } of state.removals) {
    if (revision < contentRevision) continue;
    if ((await commands.load(removal, id)).state?.status === 'rejected') return true;
  }
  return false;
}

/**
 * Removes everything that a valid request names, and all known copies. Content that its owner has deleted meanwhile is
 * removed, too, so that it does not come back. For a completed request, only the recorded content is removed, because
 * no moderator has judged what was published later.
 */
async function removeAll(
  deps: RemovalDependencies,
  state: RemovalRequest,
  origin: CommandOrigin,
  signal: AbortSignal,
): Promise<Position | null> {
  const removed = new Map<string, Subject>();
  const remove = async (subject: Subject): Promise<Writes> => {
    if (removed.has(toCaseId(subject))) return [];
    const { writes, judged } = await removeOne(deps, state, subject, origin);
    if (judged) removed.set(toCaseId(subject), judged);
    return writes;
  };
  const { requestId, completed } = state;
  const removeMedia = (ids: readonly string[]) =>
    attemptEach(
      ids.map((id): Subject => ({ kind: 'media', id })),
      remove,
    );
  const destroyed = new Set<string>();
  const removePictures = (copies: readonly IdentityCopy[]) =>
    attemptEach(copies, async (copy) => {
      const { writes, isDestroyed } = await removeIdentityCopy(deps, copy, origin);
      if (isDestroyed) destroyed.add(copy.checkId);
      return writes;
    });
  if (completed !== null)
    return findLastPosition(
      await attemptSteps([
        () => attemptEach(completed.removed, remove),
        () => removePictures(state.identityCopies ?? []),
      ]),
    );
  const removeIdentityCopies = async (copies: readonly IdentityCopy[]) => {
    const known = state.identityCopies ?? [];
    const isNew = copies.some(({ checkId }) => !known.some((copy) => copy.checkId === checkId));
    if (isNew && (await deps.copies.haveOtherReaders()))
      throw new PostponedJobError('An older build cannot read which identity checks have copies', {
        after_ms: OTHER_BUILD_WAIT_ms,
      });
    // They are recorded before their pictures are destroyed, because they cannot be found afterwards.
    const recorded = await sendCommand(deps.commands, recordIdentityCopiesCommand(requestId, copies), origin);
    const { state: after } = await deps.commands.load(removal, requestId);
    return [recorded, ...(await removePictures(after?.identityCopies ?? []))];
  };
  const removeCopies = async (mediaIds: readonly string[]) => {
    const found = await deps.copies.find({ mediaIds, hashes: state.hashes }, signal);
    return attemptSteps([() => removeMedia(found.mediaIds), () => removeIdentityCopies(found.identityCopies)]);
  };
  const removeFiles = async () => {
    const mediaIds = await findNamedFiles(deps, state);
    // The named files are removed before the search for copies, which takes longer and may fail.
    return attemptSteps([() => removeMedia(mediaIds), () => removeCopies(mediaIds)]);
  };
  const writes = await attemptSteps([() => attemptEach(state.subjects, remove), removeFiles]);
  const named = new Set<string>(state.subjects.map(toCaseId));
  if (deps.mayComplete === false) return findLastPosition(writes);
  // Pictures that a legal hold preserves are not counted.
  const identityChecks = destroyed.size;
  const copies = [...removed.keys()].filter((caseId) => !named.has(caseId)).length + identityChecks;
  const completion = completeRemovalCommand(requestId, { removed: [...removed.values()], copies, identityChecks });
  return findLastPosition([...writes, await sendCommand(deps.commands, completion, origin)]);
}

/**
 * Removes one content because of a valid request. A decision that a moderator has made before is replaced, so that a
 * granted appeal against it does not show the content. `judged` is null if the content has never existed.
 */
async function removeOne(
  deps: RemovalDependencies,
  state: RemovalRequest,
  subject: Subject,
  origin: CommandOrigin,
): Promise<{ readonly writes: Writes; readonly judged: Subject | null }> {
  const { commands } = deps;
  const valid = validDecisionOf(state);
  if (valid === null) throw new Error(`The removal request ${state.requestId} has no decision`);
  const { moderatorId, facts, at: causedAt } = valid;
  const caseId = toCaseId(subject);
  const { state: known } = await commands.load(moderationCase, caseId);
  const judged = (await findSubject(deps, subject)) ?? judgedBefore(known);
  if (!judged) return { writes: [], judged: null };
  const outcome = outcomesOf(judged.subject.kind).includes('removed') ? 'removed' : 'hidden';
  const wasHidden = known?.isHidingSubject === true;
  const { ownerId, evidence } = judged;
  const decision = {
    moderatorId,
    outcome,
    rule: 'consent',
    facts,
    wasHidden,
    causedAt,
    replacesEarlier: true,
  } as const;
  const command = { ...decision, subject: judged.subject, ownerId, evidence };
  const decided = await decideAsConsequence(commands, command, origin);
  const settled = { position: await settleCase(commands, caseId, origin) };
  return { writes: [decided, settled], judged: judged.subject };
}

/** Returns what a case knows about content that no longer exists. Null without a case. */
function judgedBefore(known: CaseState): JudgedSubject | null {
  return known && { subject: known.subject, ownerId: known.ownerId, evidence: known.evidence };
}

async function endHolds(
  { commands }: RemovalDependencies,
  state: RemovalRequest,
  origin: CommandOrigin,
): Promise<Position | null> {
  const writes = await attemptEach(new Set(state.subjects.map(toCaseId)), async (caseId) => {
    const { state: found } = await commands.load(moderationCase, caseId);
    const ended = found && (await endHold(commands, state, found, origin));
    // An earlier call may have been interrupted before this step.
    const settled = { position: await settleCase(commands, caseId, origin) };
    return ended ? [ended, settled] : [settled];
  });
  return findLastPosition(writes);
}

async function endHold(
  commands: CommandHandler,
  { requestId, status, decision }: RemovalRequest,
  found: ModerationCase,
  origin: CommandOrigin,
): Promise<Writes[number] | null> {
  if (!found.removals.some(({ id }) => id === requestId)) return null;
  const held = await findHeldContent(commands, found);
  const judged = found.isHidingSubject && found.decision ? found.decision.evidence : found.evidence;
  const command = endRemovalHoldCommand(found.caseId, {
    removalId: requestId,
    moderatorId: status === 'rejected' ? (decision?.moderatorId ?? null) : null,
    facts: status === 'rejected' ? (decision?.facts ?? '') : REMOVAL_WITHDRAWN_FACTS,
    hasOtherRemoval: await hasHidingRemoval(commands, found, requestId),
    isChanged: held !== null && held.contentRevision > judged.revision,
  });
  return sendCommand(commands, command, origin);
}

/** Checks whether an undecided removal request other than `exceptId` hides the content of a case. */
async function hasHidingRemoval(
  commands: Pick<CommandHandler, 'load'>,
  { removals }: ModerationCase,
  exceptId: string,
): Promise<boolean> {
  for (const { id } of removals) {
    if (id === exceptId) continue;
    const { state } = await commands.load(removal, id);
    // A request above the limit of a network hides nothing.
    if (state?.status === 'open' && state.hidesAtOnce) return true;
  }
  return false;
}

/**
 * Returns the ids of the removal requests in a case that no longer wait for a decision. Deciders need them, because a
 * case must not be decided without its undecided requests.
 */
export async function findDecidedRequestIds(
  commands: Pick<CommandHandler, 'load'>,
  state: CaseState,
): Promise<readonly string[]> {
  const decided: string[] = [];
  for (const { id } of state?.removals ?? [])
    if ((await commands.load(removal, id)).state?.status !== 'open') decided.push(id);
  return decided;
}

/**
 * Returns the ids of the pictures and videos that a removal request names: those of its links, and those that its ads
 * showed at the time of the request, also if the poster has replaced them since.
 */
async function findNamedFiles(
  deps: Pick<RemovalDependencies, 'commands' | 'ads'>,
  { subjects, requestedAt }: Pick<RemovalRequest, 'subjects' | 'requestedAt'>,
): Promise<readonly string[]> {
  const named = new Set<string>();
  for (const { kind, id } of subjects) {
    if (kind === 'media') named.add(id);
    if (kind === 'ad') for (const mediaId of await findFilesOfAd(deps, id, requestedAt)) named.add(mediaId);
  }
  return [...named];
}

async function findFilesOfAd(
  { commands, ads }: Pick<RemovalDependencies, 'commands' | 'ads'>,
  adId: string,
  at: string,
): Promise<readonly string[]> {
  const ownerId = await ads.ownerOf(adId, { includesDeleted: true });
  return ownerId === null ? [] : filesShownAt((await commands.load(listing, ownerId)).state, adId, at);
}

/** Returns the files that an ad showed at a time. An account has one ad at a time, so its later ads are omitted. */
function filesShownAt({ ad, shownMedia }: ListingState, adId: string, at: string): readonly string[] {
  const isReplaced = ad !== null && !isContinued(adId, ad) && ad.postedAt <= at;
  if (isReplaced) return [];
  const shown = shownMedia.filter(({ from, until }) => from <= at && (until === null || until >= at));
  return shown.map(({ mediaId }) => mediaId);
}

/** Returns the command with which a removal request hides content that it names, and opens its case. */
function holdForRemovalCommand(
  removalId: string,
  { subject, ownerId, evidence }: JudgedSubject,
  hidesAtOnce: boolean,
): ProcessCommand {
  // A withdrawn article does not come back by itself, so only the pictures of an article are hidden at once.
  const canHide = hidesAtOnce && subject.kind !== 'article';
  return processCommand(moderationCase, toCaseId(subject), (state, context) =>
    holdForRemoval({ removalId, subject, ownerId, evidence, canHide }, state, context),
  );
}

/** Returns the command that ends the effect of a rejected or withdrawn removal request on one case. */
function endRemovalHoldCommand(caseId: CaseId, command: EndRemovalHold): ProcessCommand {
  return processCommand(moderationCase, caseId, (state, context) => endRemovalHold(command, state, context));
}

/** Returns the command that records that everything of a valid removal request is removed. */
function completeRemovalCommand(requestId: string, command: CompleteRemoval): ProcessCommand {
  return processCommand(removal, requestId, (state, context) => completeRemoval(command, state, context));
}
