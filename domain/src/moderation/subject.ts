import type { Branded } from '../branded.ts';
import { parsePostId, type PostId } from '../thread/post-id.ts';

/**
 * The kinds of content that users can report and moderators can decide about. `media` is a picture or video. `account`
 * is the profile of a provider, i.e. of an account that posts ads.
 */
export const SUBJECT_KINDS = ['ad', 'media', 'account', 'thread', 'post', 'article'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/**
 * The content that a report or a moderation decision is about. `id` is the id of the ad, photo, video, account, thread
 * or post. The id of an article is its slug.
 */
export type Subject =
  | { readonly kind: 'post'; readonly id: PostId }
  | { readonly kind: Exclude<SubjectKind, 'post'>; readonly id: string };

/**
 * Parses the kind and the id of the content that a request is about. Returns null if the kind is `post` and the id is
 * not a post id.
 */
export function parseSubject({ kind, id }: { readonly kind: SubjectKind; readonly id: string }): Subject | null {
  if (kind !== 'post') return { kind, id };
  return parsePostId(id) ? { kind, id: id as PostId } : null;
}

/**
 * Returns the content that the moderation case is about if this content is reported. For the opening post of a thread,
 * this is the whole thread. In all other cases, it is the reported content itself.
 */
export function toCaseSubject(subject: Subject): Subject {
  const post = subject.kind === 'post' ? parsePostId(subject.id) : null;
  return post?.number === 0 ? { kind: 'thread', id: post.threadId } : subject;
}

/** The id of a moderation case: the kind of the reported content, a hyphen, and the id of this content. */
export type CaseId = Branded<'CaseId'>;

/** The pattern for the id of a moderation case in URLs. */
export const CASE_ID = /^(?:ad|media|account|thread|post|article)-[\w-]{1,100}$/u;

/** Returns the id of the moderation case about this content. */
export function toCaseId(subject: Subject): CaseId {
  const { kind, id } = toCaseSubject(subject);
  return `${kind}-${id}` as CaseId;
}

/** Parses the id of a moderation case from a URL. Returns null if the text is not such an id. */
export function parseCaseId(text: string): CaseId | null {
  return CASE_ID.test(text) ? (text as CaseId) : null;
}

/**
 * Returns the content that a moderation case is about. Returns null if the case id does not begin with a known kind of
 * content.
 */
export function parseCaseSubject(caseId: CaseId): Subject | null {
  const kind = SUBJECT_KINDS.find((name) => caseId.startsWith(`${name}-`));
  return kind ? parseSubject({ kind, id: caseId.slice(kind.length + 1) }) : null;
}

/**
 * Returns the post that a moderation decision hides or restores. A decision about a thread applies to its opening post,
 * which has the number 0. Returns null if the decision is not about a thread or post.
 */
export function findSubjectPost({ kind, id }: Subject): { readonly threadId: string; readonly number: number } | null {
  if (kind === 'thread') return { threadId: id, number: 0 };
  return kind === 'post' ? parsePostId(id) : null;
}
