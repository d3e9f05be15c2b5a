import {
  addReportCommand,
  toCaseId,
  hideByRuleCommand,
  type HideContentByRule,
  type Position,
  type ProcessCommand,
  type ReportReason,
  type Subject,
  type SubjectState,
} from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin } from '../service/command-handler.ts';
import { findLastPosition } from './last-position.ts';
import { sendCommand } from './send-command.ts';
import { settleCase } from './settle-case.ts';
import { findSubject, type SubjectDependencies } from './subject-state.ts';

export interface OpenCaseDependencies extends SubjectDependencies {
  readonly commands: CommandHandler;
}

/**
 * Adds a report to the moderation case about the reported content, and hides the content if the report requires this.
 * Idempotent. `known` is the state of the content, if the caller has just read it. Returns the position of the last
 * event of the case and of the content, or null if the content does not exist.
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
  return found && openCase(deps, found, addReportCommand(report, found), origin);
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
  const command = found && hideByRuleCommand(rule, found);
  return command && openCase(deps, found, command, origin);
}

async function openCase(
  { commands }: OpenCaseDependencies,
  { subject }: SubjectState,
  command: ProcessCommand,
  origin: CommandOrigin,
): Promise<Position | null> {
  const opened = await sendCommand(commands, command, origin);
  // A background job, which also applies decisions, may have hidden the content at the same time. The returned position
  // must include the events of that job. Otherwise, a client that waits for this position could still read the content.
  return findLastPosition([opened, { position: await settleCase(commands, toCaseId(subject), origin) }]);
}
