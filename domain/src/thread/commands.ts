/** What may be asked of a thread. */

/** Who asks, as the server knows them. */
export interface Member {
  readonly accountId: string;
  readonly emailVerified: boolean;
  readonly isModerator: boolean;
  /** ISO 8601. */
  readonly registeredAt: string;
}

/** A city, spelled as in our data. */
export interface ThreadPlace {
  readonly country: string;
  readonly state: string;
  readonly city: string;
}

/** Words as they are to be posted: Markdown, its fingerprint, and how many links are in it. */
export interface PostWords {
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
  readonly words: PostWords;
}

export interface ReplyToThread {
  readonly member: Member;
  readonly admissionId: string;
  readonly words: PostWords;
  readonly quotedNumber: number | null;
}

export interface EditPost {
  readonly member: Member;
  readonly number: number;
  readonly title: string | undefined;
  readonly words: PostWords;
}

export interface HidePost {
  readonly number: number;
  readonly by: 'moderator' | 'report';
  /** What the author is told. */
  readonly reason: string | null;
}
