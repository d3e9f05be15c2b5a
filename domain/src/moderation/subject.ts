import { partsOfPostId } from '../thread/post-id.ts';

/** What can be reported and decided on: an ad, a picture or video, a provider's profile, a thread, a post, an article. */
export const SUBJECT_KINDS = ['ad', 'media', 'account', 'thread', 'post', 'article'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** `id` is the ad's, the media's, the account's or the thread's; of a post its thread's, a hyphen and its number; of an article its slug. */
export interface Subject {
  readonly kind: SubjectKind;
  readonly id: string;
}

/** An opening post stands for its whole thread: both are one case. */
export function caseSubjectOf(subject: Subject): Subject {
  const post = subject.kind === 'post' ? partsOfPostId(subject.id) : null;
  return post?.number === 0 ? { kind: 'thread', id: post.threadId } : subject;
}

/** The id of the one case there is about a subject. */
export function caseIdOf(subject: Subject): string {
  const { kind, id } = caseSubjectOf(subject);
  return `${kind}-${id}`;
}

/** The thread and the number of the post a thread or post is decided by; null for other subjects. */
export function postOfSubject({ kind, id }: Subject): { readonly threadId: string; readonly number: number } | null {
  if (kind === 'thread') return { threadId: id, number: 0 };
  return kind === 'post' ? partsOfPostId(id) : null;
}
