import { addReport, hideContentByRule } from '../moderation/decide.ts';
import type { HideContentByRule, JudgedSubject } from '../moderation/commands.ts';
import { moderationCase } from '../moderation/state.ts';
import { toCaseId } from '../moderation/subject.ts';
import type { ReportReason } from '../report/fields.ts';
import { processCommand, type ProcessCommand } from './process-command.ts';

/** The current state of content that a report or a moderation decision is about. */
export interface SubjectState extends JudgedSubject {
  /** True if everybody can see the content. */
  readonly isVisible: boolean;
  /**
   * True if a report or a hiding rule may hide the content. False after a moderator has approved its current version.
   */
  readonly canBeHidden: boolean;
}

/**
 * Returns the command that adds a report to the moderation case about the reported content. The command does nothing if
 * the case already contains the report.
 */
export function addReportCommand(
  {
    reportId,
    reason,
    weight,
  }: { readonly reportId: string; readonly reason: ReportReason; readonly weight?: number | undefined },
  { subject, ownerId, evidence, canBeHidden }: SubjectState,
): ProcessCommand {
  return processCommand(moderationCase, toCaseId(subject), (state, context) =>
    addReport({ reportId, reason, weight, subject, ownerId, evidence, canHide: canBeHidden }, state, context),
  );
}

/**
 * Returns the command with which a hiding rule hides an ad and opens a moderation case, so that a moderator reviews the
 * ad. Returns null if the rule may not hide the ad.
 */
export function hideByRuleCommand(
  rule: Pick<HideContentByRule, 'hidingRuleId' | 'rule' | 'facts'>,
  { subject, ownerId, evidence, canBeHidden }: SubjectState,
): ProcessCommand | null {
  if (!canBeHidden) return null;
  return processCommand(moderationCase, toCaseId(subject), (state, context) =>
    hideContentByRule({ ...rule, subject, ownerId, evidence }, state, context),
  );
}
