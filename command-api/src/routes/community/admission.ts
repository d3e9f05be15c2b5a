import {
  admitPost,
  author,
  DomainError,
  DUPLICATE_WINDOW_ms,
  earlierAdmission,
  thread,
  type Admission,
  type Member,
} from '@alpenglow/domain';
import type { CommandOrigin } from '@alpenglow/infra';
import type { CommunityDependencies } from './requests.ts';
import type { ReadWords } from './post-words.ts';

export interface AdmissionRequest {
  readonly member: Member;
  /** Null for a thread that is yet to be started. */
  readonly threadId: string | null;
  readonly words: ReadWords;
  readonly origin: CommandOrigin;
}

/**
 * The first of the two steps of a post: its author is admitted, within the limits however many requests come at once; the thread takes the post
 * after that. A post that broke off between the two is admitted as before when it is tried again. Throws what `admitPost` throws, and
 * DUPLICATE_TEXT for long words that anybody has posted within a day, as far as the read model knows.
 */
export async function admit(
  { commands, community }: CommunityDependencies,
  { member, threadId, words, origin }: AdmissionRequest,
): Promise<Admission> {
  const { accountId } = member;
  const now = new Date().toISOString();
  const broken = threadId === null ? await threadNotStarted() : null;
  if (words.isLong && (await community.isPosted(words.fingerprint, dayBefore(now))))
    throw new DomainError('DUPLICATE_TEXT');

  const { state } = await commands.handle(
    author,
    accountId,
    (posted, context) => admitPost({ member, threadId: threadId ?? broken ?? context.newId(), words }, posted, context),
    origin,
    { now },
  );
  const admission = earlierAdmission(words.fingerprint, state, now);
  if (!admission) throw new Error('Who was admitted has an admission');
  return admission;

  /** The thread these words were to start when that broke off. */
  async function threadNotStarted(): Promise<string | null> {
    const earlier = earlierAdmission(words.fingerprint, (await commands.load(author, accountId)).state, now);
    if (!earlier) return null;
    const { state: started } = await commands.load(thread, earlier.threadId);
    return started ? null : earlier.threadId;
  }
}

/** Since when words posted once more are a duplicate. */
export function dayBefore(now: string): Date {
  return new Date(Date.parse(now) - DUPLICATE_WINDOW_ms);
}
