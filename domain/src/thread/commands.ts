/** Commands that start or change a thread in the community. */

/** The current data of the account that starts a thread, replies or edits a post. */
export interface Member {
  readonly accountId: string;
  readonly emailVerified: boolean;
  readonly isModerator: boolean;
  /** The time of the registration in ISO 8601. */
  readonly registeredAt: string;
}

/** The fields of an account that show whether it may change a post. */
export type Author = Pick<Member, 'accountId' | 'emailVerified'>;

/** A city, spelled as in `places.json`. */
export interface ThreadPlace {
  readonly country: string;
  readonly state: string;
  readonly city: string;
}

/**
 * The Markdown text of a post, the fingerprint of the text, and the number of links. Texts that differ only in spaces,
 * punctuation or upper and lower case have the same fingerprint.
 */
export interface PostContent {
  readonly body: string;
  readonly fingerprint: string;
  readonly links: number;
}

export interface StartThread {
  readonly threadId: string;
  readonly accountId: string;
  readonly admissionId: string;
  readonly place: ThreadPlace;
  readonly title: string;
  readonly content: PostContent;
}

export interface ReplyToThread {
  readonly member: Member;
  readonly admissionId: string;
  readonly content: PostContent;
  readonly quotedNumber: number | null;
}

export interface EditPost {
  readonly member: Member;
  readonly number: number;
  readonly title: string | undefined;
  readonly content: PostContent;
}

export interface DeletePost {
  readonly member: Author;
  readonly number: number;
}

export interface HidePost {
  readonly number: number;
  readonly by: 'moderator' | 'report';
  /** The reason that the author of the post receives. */
  readonly reason: string | null;
}

export interface RestorePost {
  readonly number: number;
}

export interface LockThread {
  readonly isLocked: boolean;
}

export interface PinThread {
  readonly isPinned: boolean;
}

/** The city that the thread moves to. */
export type MoveThread = ThreadPlace;

/** Deletes the posts of an account during an erasure of its data. */
export interface DeletePostsOfAccount {
  readonly accountId: string;
  /** The number from which posts belong to another person who signed up with the same e-mail address. */
  readonly before: number;
}
