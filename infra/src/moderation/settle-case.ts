import {
  article,
  hideAd,
  hidePost,
  isVisiblePost,
  letGoOfAd,
  listing,
  moderationCase,
  postAt,
  postOfSubject,
  restorePost,
  thread,
  withdrawArticle,
  type CaseState,
  type ModerationCase,
  type Position,
} from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin } from '../command-handling.ts';
import { hasRegisteredSince } from './registered-since.ts';

/**
 * Has a case's subject hidden, or seen again, as the case stands: what a call does at once, and a job once more for a call that broke off in
 * between. Twice is once. The position of the last write, null where nothing was left to do. An account is closed by `closeAsDecided`.
 */
export async function settleCase(
  commands: CommandHandler,
  caseId: string,
  origin: CommandOrigin,
): Promise<Position | null> {
  const { state } = await commands.load(moderationCase, caseId);
  return state?.decision ? settle(commands, state, origin) : null;
}

async function settle(
  commands: CommandHandler,
  found: ModerationCase,
  origin: CommandOrigin,
): Promise<Position | null> {
  switch (found.subject.kind) {
    case 'ad':
    case 'media':
    case 'account':
      return settleAd(commands, found, origin);
    case 'thread':
    case 'post':
      return settlePost(commands, found, origin);
    case 'article':
      return settleArticle(commands, found, origin);
  }
}

/** A picture and a profile are hidden with the ad they stand in. What closed an account holds no ad of whoever signed up with the address since. */
async function settleAd(
  commands: CommandHandler,
  { caseId, subject, ownerId, isHolding, decision }: ModerationCase,
  origin: CommandOrigin,
): Promise<Position | null> {
  if (
    ownerId === null ||
    (isHolding && decision?.outcome === 'account_closed' && (await hasRegisteredSince(commands, ownerId, decision.at)))
  )
    return null;
  const adId = subject.kind === 'ad' ? subject.id : null;
  const { events, position } = await commands.handle(
    listing,
    ownerId,
    (state) =>
      isHolding ? hideAd({ adId, by: byOf(decision), caseId }, ownerId, state) : letGoOfAd(caseId, ownerId, state),
    origin,
  );
  return events.length > 0 ? position : null;
}

async function settlePost(
  commands: CommandHandler,
  { subject, isHolding, decision }: ModerationCase,
  origin: CommandOrigin,
): Promise<Position | null> {
  const post = postOfSubject(subject);
  if (!post) return null;
  const { threadId, number } = post;
  const { events, position } = await commands.handle(
    thread,
    threadId,
    (state) => {
      const status = state && postAt(state.posts, number)?.status;
      // Its author may have deleted it meanwhile.
      if (!status || status === 'deleted') return [];
      if (!isHolding) return restorePost(number, state);
      return hidePost(
        {
          number,
          by: decision?.isAutomated ? 'report' : 'moderator',
          reason: decision?.isAutomated ? null : (decision?.facts ?? null),
        },
        state,
      );
    },
    origin,
  );
  return events.length > 0 ? position : null;
}

async function settleArticle(
  commands: CommandHandler,
  { subject, isHolding, decision }: ModerationCase,
  origin: CommandOrigin,
): Promise<Position | null> {
  const { events, position } = await commands.handle(
    article,
    subject.id,
    (state) => (isHolding && state?.status === 'published' ? withdrawArticle(decision?.facts ?? null, state) : []),
    origin,
  );
  return events.length > 0 ? position : null;
}

function byOf(decision: NonNullable<CaseState>['decision']): 'report' | 'moderator' | 'rule' {
  if (!decision?.isAutomated) return 'moderator';
  return decision.hidingRuleId === null ? 'report' : 'rule';
}

/** Whether everybody sees the subject of a case now. */
export async function isSubjectHidden(
  commands: Pick<CommandHandler, 'load'>,
  { subject, ownerId }: Pick<ModerationCase, 'subject' | 'ownerId'>,
): Promise<boolean> {
  const post = postOfSubject(subject);
  if (post) return !isVisiblePost(post.number, (await commands.load(thread, post.threadId)).state);
  if (subject.kind === 'article' || ownerId === null) return false;
  const { state } = await commands.load(listing, ownerId);
  return state.ad !== null && state.ad.heldBy.length > 0;
}
