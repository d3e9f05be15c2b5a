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

export interface ClaimCase {
  readonly moderatorId: string;
}

export interface ReleaseCase {
  readonly moderatorId: string;
}

export interface DecideCase {
  readonly moderatorId: string;
  readonly outcome: Outcome;
  readonly rule: HouseRule;
  readonly facts: string;
  readonly wasHidden: boolean;
  /**
   * The version of the content that the moderator has judged. If it is absent, the moderator has judged the reported
   * version.
   */
  readonly evidence?: Evidence;
}

/** Decides about content that no report is about. */
export type DecideWithoutReport = DecideCase & JudgedSubject;

export interface FileAppeal {
  readonly accountId: string;
  readonly decisionId: string;
  readonly text: string;
}

export interface DecideAppeal {
  readonly moderatorId: string;
  readonly outcome: AppealOutcome;
  readonly facts: string;
}
