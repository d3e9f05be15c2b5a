/** A demo thread as it is written down, in Markdown. Who writes is the number of a demo ad, whose poster it is. */
export interface ThreadText {
  readonly city: string;
  readonly by: number;
  readonly daysAgo: number;
  readonly isPinned?: true;
  readonly title: string;
  readonly body: string;
  readonly replies: readonly ReplyText[];
}

export interface ReplyText {
  readonly by: number;
  /** Than the post before it. */
  readonly hoursLater: number;
  /** The index of an earlier reply it answers to, -1 for the opening post. */
  readonly quotes?: number;
  readonly helpfulBy?: readonly number[];
  readonly body: string;
}
