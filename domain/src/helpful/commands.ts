export interface MarkHelpful {
  readonly accountId: string;
  /** Marks that were set before this time belong to a closed account with the same id. */
  readonly registeredAt: string;
  readonly emailVerified: boolean;
  readonly threadId: string;
  readonly number: number;
  /** The account of the post's author. The caller has checked that the post exists. */
  readonly authorId: string;
}

export type UnmarkHelpful = Pick<MarkHelpful, 'accountId' | 'registeredAt' | 'threadId' | 'number'>;
