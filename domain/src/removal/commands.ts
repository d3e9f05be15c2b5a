import type { AppealOutcome } from '../moderation/fields.ts';
import type { Subject } from '../moderation/subject.ts';
import type { NewRemoval, RemovalOutcome } from './fields.ts';

export interface RequestRemoval extends Omit<NewRemoval, 'statement'> {
  readonly requestId: string;
  /** The contents that the links and hashes name. */
  readonly subjects: readonly Subject[];
  /** False if the contents stay visible until a moderator decides. */
  readonly hidesAtOnce: boolean;
  /** The time of the request in ISO 8601, if the request is recovered from its second copy. */
  readonly recoveredFrom?: string;
}

/** A text of the person who has asked. */
export interface RemovalText {
  readonly text: string;
}

export interface DecideRemoval {
  readonly moderatorId: string;
  readonly outcome: RemovalOutcome;
  readonly facts: string;
  /** The owners of the named contents. A moderator does not reject a request about their own content. */
  readonly ownerIds: readonly string[];
}

export interface DecideRemovalAppeal extends Omit<DecideRemoval, 'outcome'> {
  readonly outcome: AppealOutcome;
}

/** An identity check with a copy of a picture among its stored pictures. */
export interface IdentityCopy {
  readonly accountId: string;
  readonly checkId: string;
}

export interface RecordIdentityCopies {
  readonly copies: readonly IdentityCopy[];
}

export interface CompleteRemoval {
  /** Everything that was removed, with its copies. */
  readonly removed: readonly Subject[];
  /** The number of copies in `removed` that the request does not name, and of `identityChecks`. */
  readonly copies: number;
  /** The number of identity checks whose pictures were removed. */
  readonly identityChecks?: number;
}
