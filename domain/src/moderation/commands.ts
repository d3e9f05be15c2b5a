import type { ReportReason } from '../report/fields.ts';
import type { AppealOutcome, Outcome } from './fields.ts';
import type { HouseRule } from './rules.ts';
import type { Evidence } from './state.ts';
import type { Subject } from './subject.ts';

/** The subject of a report or a decision, with its owner and the reported or judged version. */
export interface JudgedSubject {
  readonly subject: Subject;
  /** The owner of the content. Null for content of the operator. */
  readonly ownerId: string | null;
  readonly evidence: Evidence;
}

export interface AddReport extends JudgedSubject {
  readonly reportId: string;
  readonly reason: ReportReason;
  /**
   * True if this report may hide the subject. False if the subject is already hidden, or if a moderator has approved
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
  /** The current version of the content. Absent if the moderator has judged the reported version. */
  readonly evidence?: Evidence;
}

/** Decides about a subject without a report. */
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
