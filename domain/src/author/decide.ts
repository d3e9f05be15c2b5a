import type { DecisionContext } from '../aggregate.ts';
import {
  DUPLICATE_WINDOW_ms,
  NEW_ACCOUNT_ms,
  NEW_ACCOUNT_WAIT_ms,
  POST_LINKS_MAX,
  POSTS_PER_HOUR,
} from '../constants.ts';
import { DomainError } from '../errors.ts';
import type { Member, PostWords } from '../thread/commands.ts';
import type { AuthorEvent } from './events.ts';
import type { Admission, AuthorState } from './state.ts';

const HOUR_ms = 60 * 60_000;

export interface AdmitPost {
  readonly member: Member;
  readonly threadId: string;
  readonly words: PostWords;
}

/**
 * Lets a member post these words to a thread. The same words to the same thread are the same admission, no event: whether they are posted already is for the
 * thread to say, so that a post that broke off half-way can be tried again.
 * Refuses with VERIFICATION_REQUIRED, ACCOUNT_TOO_NEW (10 minutes), TOO_MANY_LINKS, TOO_MANY_POSTS (per hour), DUPLICATE_TEXT. Moderators are refused nothing but duplicates.
 */
export function admitPost(
  { member, threadId, words }: AdmitPost,
  state: AuthorState,
  { now, newId }: DecisionContext,
): readonly AuthorEvent[] {
  if (!member.emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
  checkWait(member, now);
  checkLinks(member, words.links, now);
  const earlier = earlierAdmission(words.fingerprint, state, now);
  if (earlier) {
    if (earlier.threadId !== threadId) throw new DomainError('DUPLICATE_TEXT');
    return [];
  }
  checkHour(member, state, now);
  return [
    {
      type: 'PostAdmitted',
      data: { accountId: member.accountId, admissionId: newId(), threadId, fingerprint: words.fingerprint },
    },
  ];
}

/** The admission under which the same words were posted, or were about to be, within the last 24 hours; null when there is none. */
export function earlierAdmission(fingerprint: string, { recent }: AuthorState, now: string): Admission | null {
  return (
    recent.findLast(
      (one) => one.fingerprint === fingerprint && Date.parse(now) - Date.parse(one.at) < DUPLICATE_WINDOW_ms,
    ) ?? null
  );
}

/** Refuses with TOO_MANY_LINKS: a new account may post fewer. */
export function checkLinks(member: Member, links: number, now: string): void {
  const max = POST_LINKS_MAX[isNew(member, now) ? 'newAccount' : 'account'];
  if (!member.isModerator && links > max) throw new DomainError('TOO_MANY_LINKS', { max });
}

function checkWait(member: Member, now: string): void {
  const left_ms = Date.parse(member.registeredAt) + NEW_ACCOUNT_WAIT_ms - Date.parse(now);
  if (member.isModerator || left_ms <= 0) return;
  throw new DomainError('ACCOUNT_TOO_NEW', { minutes: Math.ceil(left_ms / 60_000) }, Math.ceil(left_ms / 1000));
}

function checkHour(member: Member, { recent }: AuthorState, now: string): void {
  const max = POSTS_PER_HOUR[isNew(member, now) ? 'newAccount' : 'account'];
  const ofHour = recent.filter(({ at }) => Date.parse(now) - Date.parse(at) < HOUR_ms);
  const first = ofHour.at(-max);
  if (member.isModerator || !first) return;
  const left_s = Math.ceil((Date.parse(first.at) + HOUR_ms - Date.parse(now)) / 1000);
  throw new DomainError('TOO_MANY_POSTS', { max, minutes: Math.ceil(left_s / 60) }, left_s);
}

function isNew({ registeredAt }: Member, now: string): boolean {
  return Date.parse(now) - Date.parse(registeredAt) < NEW_ACCOUNT_ms;
}
