import type { Branded } from '../branded.ts';
import { parsePostId, type PostId } from '../thread/post-id.ts';

/**
 * The kinds of content about which reports and decisions are possible. `media` is a picture or video. `account` is the
 * profile of a provider.
 */
export const SUBJECT_KINDS = ['ad', 'media', 'account', 'thread', 'post', 'article'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** `id` is the id of the ad, media, account, thread or post. For an article, it is the slug. */
export type Subject =
  | { readonly kind: 'post'; readonly id: PostId }
  | { readonly kind: Exclude<SubjectKind, 'post'>; readonly id: string };

/** Parses the subject of a request. Returns null if the kind is `post` and the id is not a post id. */
export function parseSubject({ kind, id }: { readonly kind: SubjectKind; readonly id: string }): Subject | null {
  if (kind !== 'post') return { kind, id };
  return parsePostId(id) ? { kind, id: id as PostId } : null;
}

/** Returns the subject of the case about this content. An opening post and its thread share the case of the thread. */
export function toCaseSubject(subject: Subject): Subject {
  const post = subject.kind === 'post' ? parsePostId(subject.id) : null;
  return post?.number === 0 ? { kind: 'thread', id: post.threadId } : subject;
}

/** The id of a case: the kind of its subject, a hyphen, and the id of the subject. */
export type CaseId = Branded<'CaseId'>;

/** Id of a case in URLs. */
export const CASE_ID = /^(?:ad|media|account|thread|post|article)-[\w-]{1,100}$/u;

/** Returns the id of the case about a subject. */
export function toCaseId(subject: Subject): CaseId {
  const { kind, id } = toCaseSubject(subject);
  return `${kind}-${id}` as CaseId;
}

/** Parses a case id from a URL. Returns null if the text is not a case id. */
export function parseCaseId(text: string): CaseId | null {
  return CASE_ID.test(text) ? (text as CaseId) : null;
}

/** Returns the subject of a case. Returns null if the case id does not begin with a kind of subject. */
export function parseCaseSubject(caseId: CaseId): Subject | null {
  const kind = SUBJECT_KINDS.find((name) => caseId.startsWith(`${name}-`));
  return kind ? parseSubject({ kind, id: caseId.slice(kind.length + 1) }) : null;
}

/** Returns the post that a decision about a thread or post applies to. Returns null for other subjects. */
export function findSubjectPost({ kind, id }: Subject): { readonly threadId: string; readonly number: number } | null {
  if (kind === 'thread') return { threadId: id, number: 0 };
  return kind === 'post' ? parsePostId(id) : null;
}
