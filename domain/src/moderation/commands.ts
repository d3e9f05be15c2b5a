import type { ReportReason } from '../report/fields.ts';
import type { AppealOutcome, Outcome } from './fields.ts';
import type { HouseRule } from './rules.ts';
import type { Evidence } from './state.ts';
import type { Subject } from './subject.ts';

/**
 * The content that a report or a moderation decision is about. `evidence` identifies the reported or judged version of
 * the content.
 */
export interface JudgedSubject {
  readonly subject: Subject;
  /** The account that owns the content. Null for content of the operator of the site, e.g. an article. */
  readonly ownerId: string | null;
  readonly evidence: Evidence;
}

export interface AddReport extends JudgedSubject {
  readonly reportId: string;
  readonly reason: ReportReason;
  /** The weight of the report (`report/weight.ts`). The default is the full weight. */
  readonly weight?: number | undefined;
  /**
   * True if this report may hide the content. False if the content is already hidden, or if a moderator has approved
   * its current version.
   */
  readonly canHide: boolean;
}

export interface HideContentByRule extends JudgedSubject {
  readonly hidingRuleId: string;
  readonly rule: HouseRule;
  readonly facts: string;
}

/** Adds a removal request to the case of content that it names. */
export interface HoldForRemoval extends JudgedSubject {
  readonly removalId: string;
  /** False if the request must not hide the content. */
  readonly canHide: boolean;
}

/** Ends the effect of a removal request that was rejected or withdrawn. */
export interface EndRemovalHold {
  readonly removalId: string;
  /** The moderator who has rejected the request. Null if it was withdrawn. */
  readonly moderatorId: string | null;
  readonly facts: string;
  /** True if another removal request about the same content is undecided. */
  readonly hasOtherRemoval: boolean;
  /** True if the content was changed after the version that the case is about. */
  readonly isChanged: boolean;
}

/** The owner of content responds to an automated decision. */
export interface RespondToDecision {
  readonly accountId: string;
  /** Time of the sign-up of the account in ISO 8601. */
  readonly registeredAt: string;
  readonly decisionId: string;
  readonly text: string;
}

/** The fields of a command that is rejected while a removal request in the case is undecided. */
interface DecidedRemovals {
  /**
   * The ids of the requests that were decided or withdrawn when the caller read them. All other requests in the case
   * count as undecided. Default: none.
   */
  readonly decidedRemovalIds?: readonly string[];
}

/** Ends the automated hiding of reported content. The moderation case stays open. */
export interface RestoreReported extends DecidedRemovals {
  readonly adminId: string;
  readonly facts: string;
}

export interface ClaimCase {
  readonly moderatorId: string;
}

export interface ReleaseCase {
  readonly moderatorId: string;
}

/**
 * Content that becomes visible if its moderation case no longer hides it. It may be another version than the reported
 * one, or a later ad that the case also hides.
 */
export interface HeldContent {
  /** The revision of the last event that changed the content. */
  readonly contentRevision: number;
  /** The revision of the last event of the stream that contains the content. */
  readonly revision: number;
}

export interface DecideCase extends DecidedRemovals {
  readonly moderatorId: string;
  readonly outcome: Outcome;
  /** Id of the violated house rule. */
  readonly rule: string;
  readonly facts: string;
  readonly wasHidden: boolean;
  /**
   * The version of the content that the moderator has judged. If it is absent, the moderator has judged the reported
   * version.
   */
  readonly evidence?: Evidence;
  /** The content that the case hides. Null or absent if the case hides no existing content. */
  readonly held?: HeldContent | null;
  /** The number of days for a requested change. */
  readonly changeDays?: number | undefined;
  /** The photo of the ad that the outcome `photo_removed` removes. */
  readonly photoId?: string | undefined;
}

/** Decides about content that no report is about. */
export type DecideWithoutReport = DecideCase &
  JudgedSubject & {
    /** Time of the sign-up of the owner in ISO 8601. A later account with the same e-mail address has the same id. */
    readonly ownerSince?: string;
  };

/** Decides about content because of a moderator's decision about other content, e.g. about a photo of an ad. */
export interface DecideConsequence extends DecideWithoutReport {
  /** Time of the decision that has this consequence, in ISO 8601. */
  readonly causedAt: string;
  /**
   * True if the decision also replaces an earlier one of a moderator that hides the content. A granted appeal against
   * the earlier one then does not show the content. Default: false.
   */
  readonly replacesEarlier?: boolean;
}

/** Hides content whose owner has not made a requested change in time. */
export interface EndChangeRequest {
  /** The current content. Null if it no longer exists. */
  readonly held: HeldContent | null;
  /** The current version of the content. */
  readonly evidence: Evidence;
}

export interface FileAppeal {
  readonly accountId: string;
  /**
   * Time of the sign-up of the account in ISO 8601. Null if the token from the mail about the decision proves that the
   * caller owned the content at the time of the decision.
   */
  readonly registeredAt: string | null;
  readonly decisionId: string;
  readonly text: string;
}

export interface DecideAppeal extends DecidedRemovals {
  readonly moderatorId: string;
  readonly outcome: AppealOutcome;
  readonly facts: string;
  /** The revision of the version that the moderator has read. If it is absent, this is the judged version. */
  readonly revision?: number | undefined;
  /** The content that the case hides. Null or absent if the case hides no existing content. */
  readonly held?: HeldContent | null;
}
