import { account, report, toStreamId, type JobHandler, type JobPayloads, type SubjectState } from '@alpenglow/domain';
import { fileReport } from '@alpenglow/domain/deciders';
import { addReportToCase, type CommandOrigin, type OpenCaseDependencies } from '@alpenglow/infra';
import { systemOrigin } from './system-origin.ts';

/**
 * Creates the handler of the job that adds a report to a moderation case. The job also hides the reported content if
 * the report requires this. Steps that the request has already done have no effect. For the upload of a known illegal
 * picture, there is no request, so the job first files the report.
 */
export function createReportIntakeHandler(deps: OpenCaseDependencies): JobHandler<'take-report-in'> {
  return async (payload) => {
    const origin = systemOrigin('report', payload.reportId);
    const subjectState =
      payload.reason === 'known_image' ? await fileReportAboutUploader(deps, payload, origin) : undefined;
    await addReportToCase(deps, payload, origin, subjectState);
  };
}

/**
 * Files the report that an account has uploaded a known illegal picture. Idempotent. The report is possible even if the
 * account is closed. It does not hide any content (decision 0047).
 */
async function fileReportAboutUploader(
  { commands }: OpenCaseDependencies,
  { reportId, subject, reason }: JobPayloads['take-report-in'],
  origin: CommandOrigin,
): Promise<SubjectState> {
  const ownerId = subject.id;
  const { revision } = await commands.load(account, ownerId);
  const subjectState = {
    subject,
    ownerId,
    evidence: { stream: toStreamId(account, ownerId), revision },
    isVisible: true,
    canBeHidden: false,
  };
  const command = { ...subjectState, reportId, reporterId: null, reason, text: null };
  await commands.execute(report, reportId, fileReport, command, origin);
  return subjectState;
}
