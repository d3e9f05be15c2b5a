import { endOfWait, requireEndOfWait } from '../account/end-of-wait.ts';
import type { Decider } from '../aggregate.ts';
import { DUPLICATE_WINDOW_ms, NEW_ACCOUNT_PERIOD_ms, POST_LINKS_MAX, POSTS_PER_HOUR } from '../constants.ts';
import { DomainError } from '../error-catalogue.ts';
import type { Member } from '../thread/commands.ts';
import type { AdmitPost } from './commands.ts';
import type { AuthorEvent } from './events.ts';
import type { Admission, AuthorState } from './state.ts';

const HOUR_ms = 60 * 60_000;

/**
 * Permits a member to post a text to a thread, if the member meets all rules. The thread then accepts the post.
 * Repeating the same text for the same thread causes no event, because the first permission still applies. An
 * interrupted post can therefore be retried. The thread itself rejects a text that is already posted. Throws
 * VERIFICATION_REQUIRED, ACCOUNT_TOO_NEW (10 minutes), TOO_MANY_LINKS, TOO_MANY_POSTS (per hour) and DUPLICATE_TEXT.
 * Only VERIFICATION_REQUIRED and DUPLICATE_TEXT apply to moderators.
 */
export const admitPost: Decider<AdmitPost, AuthorState, AuthorEvent> = (
  { member, threadId, content },
  state,
  { now, newId },
) => {
  if (!member.emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
  if (!member.isModerator) requireEndOfWait(endOfWait(member.registeredAt), now);
  requireLinkLimit(member, content.links, now);
  const earlier = findEarlierAdmission(content.fingerprint, state, now);
  if (earlier) {
    if (earlier.threadId !== threadId) throw new DomainError('DUPLICATE_TEXT');
    return [];
  }
  checkHour(member, state, now);
  return [
    {
      type: 'PostAdmitted',
      data: { accountId: member.accountId, admissionId: newId(), threadId, fingerprint: content.fingerprint },
    },
  ];
};

/**
 * Returns the last admission, i.e. permission to post, of a text with this fingerprint within the last 24 hours.
 * Returns null if there is none.
 */
export function findEarlierAdmission(
  fingerprint: string,
  { recentAdmissions }: AuthorState,
  now: string,
): Admission | null {
  return (
    recentAdmissions.findLast(
      (admission) =>
        admission.fingerprint === fingerprint && Date.parse(now) - Date.parse(admission.at) < DUPLICATE_WINDOW_ms,
    ) ?? null
  );
}

/** Throws TOO_MANY_LINKS if a text has too many links. A new account may post fewer links than other accounts. */
export function requireLinkLimit(member: Member, links: number, now: string): void {
  const max = POST_LINKS_MAX[isNew(member, now) ? 'newAccount' : 'account'];
  if (!member.isModerator && links > max) throw new DomainError('TOO_MANY_LINKS', { max });
}

function checkHour(member: Member, { recentAdmissions }: AuthorState, now: string): void {
  const max = POSTS_PER_HOUR[isNew(member, now) ? 'newAccount' : 'account'];
  const ofHour = recentAdmissions.filter(({ at }) => Date.parse(now) - Date.parse(at) < HOUR_ms);
  const first = ofHour.at(-max);
  if (member.isModerator || !first) return;
  const left_s = Math.ceil((Date.parse(first.at) + HOUR_ms - Date.parse(now)) / 1000);
  throw new DomainError('TOO_MANY_POSTS', { max, minutes: Math.ceil(left_s / 60) }, left_s);
}

function isNew({ registeredAt }: Member, now: string): boolean {
  return Date.parse(now) - Date.parse(registeredAt) < NEW_ACCOUNT_PERIOD_ms;
}
