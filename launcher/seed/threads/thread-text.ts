/**
 * The source of a demo thread, in Markdown. `author` is the number of a demo ad. The account that posted this ad is the
 * author of the thread.
 */
export interface ThreadText {
  readonly city: string;
  readonly author: number;
  readonly daysAgo: number;
  readonly isPinned?: true;
  readonly title: string;
  readonly body: string;
  readonly replies: readonly ReplyText[];
}

/** The source of a reply in a demo thread. */
export interface ReplyText {
  readonly author: number;
  /** Number of hours between the previous post and this reply. */
  readonly hoursLater: number;
  /** Index of the earlier reply that this reply quotes. It is -1 for the opening post. */
  readonly quotes?: number;
  readonly helpfulBy?: readonly number[];
  readonly body: string;
}
