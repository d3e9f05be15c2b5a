import { account, fileReport, report, streamOf, type JobHandler, type Jobs } from '@alpenglow/domain';
import { takeReportIn, type CommandOrigin, type Looked, type ModerationDependencies } from '@alpenglow/infra';

/** Puts a report to its case and hides what it asks to be hidden, unless its call has done both. What the product itself reports is filed first. */
export function takeReportInJob(deps: ModerationDependencies): JobHandler<'take-report-in'> {
  return async (payload) => {
    const origin: CommandOrigin = { actor: { kind: 'system', name: 'report' }, correlationId: payload.reportId };
    const looked = payload.reason === 'known_image' ? await reportUploader(deps, payload, origin) : undefined;
    await takeReportIn(deps, payload, origin, looked);
  };
}

/**
 * Files that somebody has uploaded a picture that is known to be illegal, once: the report is about their account, whatever it is or has become, and hides nothing
 * of it (decision 0047).
 */
async function reportUploader(
  { commands }: ModerationDependencies,
  { reportId, subject, reason }: Jobs['take-report-in'],
  origin: CommandOrigin,
): Promise<Looked> {
  const ownerId = subject.id;
  const { revision } = await commands.load(account, ownerId);
  const looked = {
    subject,
    ownerId,
    evidence: { stream: streamOf(account, ownerId), revision },
    isVisible: true,
    canBeHidden: false,
  };
  await commands.handle(
    report,
    reportId,
    (state) => fileReport({ ...looked, reportId, reporterId: null, reason, text: null }, state),
    origin,
  );
  return looked;
}
