import { author, DomainError, DUPLICATE_WINDOW_ms, thread, type Admission, type Member } from '@alpenglow/domain';
import { admitPost, findEarlierAdmission } from '@alpenglow/domain/deciders';
import type { CommandOrigin } from '@alpenglow/infra';
import type { CommunityDependencies } from './requests.ts';
import type { ParsedPostText } from './post-text.ts';

export interface AdmissionRequest {
  readonly member: Member;
  /** Id of the thread that the post belongs to. Null for the opening post of a new thread. */
  readonly threadId: string | null;
  readonly content: ParsedPostText;
  readonly origin: CommandOrigin;
  /** Checks the thread before the limits of the author, because a rejected post must not count towards the limits. */
  readonly checkThread?: () => Promise<void>;
}

/**
 * Checks the posting limits of an author and records the permission to post a text, which is called admission. A second
 * step then adds the post to the thread. All admissions of an author are in one event stream, so the limits also apply
 * to concurrent requests. If a request fails between the two steps, a repeated request receives the same admission.
 * Throws the errors of `admitPost`, and DUPLICATE_TEXT for a long text that was posted within the last day.
 */
export async function requestAdmission(
  { commands, community }: CommunityDependencies,
  { member, threadId, content, origin, checkThread }: AdmissionRequest,
): Promise<Admission> {
  const { accountId } = member;
  const now = new Date().toISOString();
  const unstartedThreadId = threadId === null ? await findUnstartedThread() : null;
  const before = async () => {
    await checkThread?.();
    if (content.isLong && (await community.isPosted(content.fingerprint, duplicateWindowStart(now))))
      throw new DomainError('DUPLICATE_TEXT');
  };
  const { state } = await commands.handle(
    author,
    accountId,
    (authorState, context) =>
      admitPost({ member, threadId: threadId ?? unstartedThreadId ?? context.newId(), content }, authorState, context),
    origin,
    { now, before },
  );
  const admission = findEarlierAdmission(content.fingerprint, state, now);
  if (!admission) throw new Error('The author has no admission for this post');
  return admission;

  /**
   * Returns the thread id of an earlier permission to post the same text, if the thread was not started. Otherwise,
   * returns null.
   */
  async function findUnstartedThread(): Promise<string | null> {
    const earlier = findEarlierAdmission(content.fingerprint, (await commands.load(author, accountId)).state, now);
    if (!earlier) return null;
    // The first attempt of a repeated request may have started the thread.
    if (origin.ids?.isRepeated === true) return earlier.threadId;
    const { state: threadState } = await commands.load(thread, earlier.threadId);
    return threadState ? null : earlier.threadId;
  }
}

/** Returns the start of the period in which a repeated text counts as a duplicate. */
export function duplicateWindowStart(now: string): Date {
  return new Date(Date.parse(now) - DUPLICATE_WINDOW_ms);
}
