import {
  addReport,
  caseIdOf,
  hideByRule,
  moderationCase,
  type HideByRule,
  type Position,
  type ReportReason,
  type Subject,
} from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin } from '../command-handling.ts';
import { lookAt, type Looked, type LookDependencies } from './look-at.ts';
import { settleCase } from './settle-case.ts';

export interface ModerationDependencies extends LookDependencies {
  readonly commands: CommandHandler;
}

/**
 * Puts a filed report to its case and hides what it asks to be hidden at once. Twice is once. `looked` is what it is about as it was just
 * looked at; without it, it is looked at now, and something that is gone has no case. The position of the last write.
 */
export async function takeReportIn(
  deps: ModerationDependencies,
  report: { readonly reportId: string; readonly subject: Subject; readonly reason: ReportReason },
  origin: CommandOrigin,
  looked?: Looked,
): Promise<Position | null> {
  const found = looked ?? (await lookAt(deps, report.subject));
  if (!found) return null;
  const { subject, ownerId, evidence, canBeHidden } = found;
  const caseId = caseIdOf(subject);
  const { reportId, reason } = report;
  const added = await deps.commands.handle(
    moderationCase,
    caseId,
    (state, context) =>
      addReport({ reportId, reason, subject, ownerId, evidence, isHiding: canBeHidden }, state, context),
    origin,
  );
  return (await settleCase(deps.commands, caseId, origin)) ?? added.position;
}

/**
 * A hiding rule hides an ad that is to be seen and that no moderator has let stand: an automated decision its owner reads, and a case for a
 * moderator. Twice is once. The position of the last write, null where nothing was done.
 */
export async function hideAdByRule(
  deps: ModerationDependencies,
  { adId, ...rule }: Pick<HideByRule, 'hidingRuleId' | 'rule' | 'facts'> & { readonly adId: string },
  origin: CommandOrigin,
): Promise<Position | null> {
  const found = await lookAt(deps, { kind: 'ad', id: adId });
  if (!found?.canBeHidden) return null;
  const { subject, ownerId, evidence } = found;
  const caseId = caseIdOf(subject);
  const decided = await deps.commands.handle(
    moderationCase,
    caseId,
    (state, context) => hideByRule({ ...rule, subject, ownerId, evidence }, state, context),
    origin,
  );
  return (await settleCase(deps.commands, caseId, origin)) ?? decided.position;
}
