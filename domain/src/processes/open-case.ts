import { addReport, hideContentByRule } from '../moderation/decide.ts';
import type { HideContentByRule } from '../moderation/commands.ts';
import { moderationCase, type CaseState } from '../moderation/state.ts';
import { toCaseId, type Subject } from '../moderation/subject.ts';
import type { Decision } from '../aggregate.ts';
import type { ModerationEvent } from '../moderation/events.ts';
import type { CommandHandler, CommandOrigin } from '../ports/command-handler.ts';
import { findLastPosition, type Position } from '../ports/event-store.ts';
import type { ReportReason } from '../report/fields.ts';
import { settleCase } from './settle-case.ts';
import { findSubject, type SubjectDependencies, type SubjectState } from './subject-state.ts';

export interface OpenCaseDependencies extends SubjectDependencies {
  readonly commands: CommandHandler;
}

/**
 * Carries out the event `ReportFiled`: adds a report to the moderation case about the reported content, and hides the
 * content if the report requires this. The request that files the report calls this function at once, and the job
 * `take-report-in` again, in case the request was interrupted. Idempotent. `known` is the state of the content, if the
 * caller has just read it. Returns the position of the last event of the case and of the content, or null if the
 * content does not exist.
 */
export async function addReportToCase(
  deps: OpenCaseDependencies,
  report: {
    readonly reportId: string;
    readonly subject: Subject;
    readonly reason: ReportReason;
    readonly weight?: number | undefined;
  },
  origin: CommandOrigin,
  known?: SubjectState,
): Promise<Position | null> {
  const found = known ?? (await findSubject(deps, report.subject));
  if (!found) return null;
  const { reportId, reason, weight } = report;
  const { subject, ownerId, evidence, canBeHidden: canHide } = found;
  const command = { reportId, reason, weight, subject, ownerId, evidence, canHide };
  return openCase(deps, subject, (state, context) => addReport(command, state, context), origin);
}

/**
 * Hides an ad that matches a hiding rule, if the ad is visible and no moderator has approved it. The owner receives an
 * automated decision, and the moderators receive a moderation case. Idempotent. Returns the position of the last event
 * of the case and of the ad, or null if the ad must not be hidden.
 */
export async function hideAdByRule(
  deps: OpenCaseDependencies,
  { adId, ...rule }: Pick<HideContentByRule, 'hidingRuleId' | 'rule' | 'facts'> & { readonly adId: string },
  origin: CommandOrigin,
): Promise<Position | null> {
  const found = await findSubject(deps, { kind: 'ad', id: adId });
  if (!found?.canBeHidden) return null;
  const { subject, ownerId, evidence } = found;
  const command = { ...rule, subject, ownerId, evidence };
  return openCase(deps, subject, (state, context) => hideContentByRule(command, state, context), origin);
}

async function openCase(
  { commands }: OpenCaseDependencies,
  subject: Subject,
  decide: Decision<CaseState, ModerationEvent>,
  origin: CommandOrigin,
): Promise<Position | null> {
  const caseId = toCaseId(subject);
  const opened = await commands.handle(moderationCase, caseId, decide, origin);
  // A background job, which also applies decisions, may have hidden the content at the same time. The returned position
  // must include the events of that job. Otherwise, a client that waits for this position could still read the content.
  return findLastPosition([opened, { position: await settleCase(commands, caseId, origin) }]);
}
