import {
  account,
  moderationCase,
  report,
  REPORT_IDS_MAX,
  toCaseId,
  toDomainEvent,
  toStreamId,
  type EventStore,
  type JobHandler,
  type JobPayloads,
  type Subject,
  type SubjectState,
  addReportToCase,
  findSubject,
  type OpenCaseDependencies,
} from '@alpenglow/domain';
import { fileReport } from '@alpenglow/domain/deciders';
import { type CommandOrigin } from '@alpenglow/infra';
import { systemOrigin } from './system-origin.ts';

interface ReportIntakeDependencies extends OpenCaseDependencies {
  readonly store: Pick<EventStore, 'readStream'>;
}

const PAGE = 500;

/**
 * Creates the handler of the job that adds a report to a moderation case. The job also hides the reported content if
 * the report requires this. Steps that the request has already done have no effect. For the upload of a known illegal
 * picture, and for several reviews by new accounts, there is no request, so the job first files the report.
 */
export function createReportIntakeHandler(deps: ReportIntakeDependencies): JobHandler<'take-report-in'> {
  return async (payload) => {
    const origin = systemOrigin('report', payload.reportId);
    const found =
      payload.reason === 'known_image' && payload.subject.kind === 'account'
        ? await fileReportAboutUploader(deps, payload, origin)
        : await findSubject(deps, payload.subject);
    if (found && payload.reason === 'review_wave') await fileReportOfProduct(deps, payload, found, origin);
    if (!found || (await isInFullCase(deps, found.subject, payload.reportId))) return;
    await addReportToCase(deps, payload, origin, found);
  };
}

/**
 * Checks whether a case with many reports already contains a report. The state of a case contains only the newest
 * report ids. When a reactor starts again at the first event, an older report would otherwise count twice, and would
 * open a decided case again.
 */
async function isInFullCase(
  { commands, store }: ReportIntakeDependencies,
  subject: Subject,
  reportId: string,
): Promise<boolean> {
  const caseId = toCaseId(subject);
  const { state } = await commands.load(moderationCase, caseId);
  if (!state || state.reportIds.length < REPORT_IDS_MAX || state.reportIds.includes(reportId)) return false;
  for (let from = 0; ; from += PAGE) {
    const page = await store.readStream(toStreamId(moderationCase, caseId), { from, limit: PAGE });
    for (const recorded of page) {
      const event = toDomainEvent(recorded);
      if (event?.type === 'CaseReportAdded' && event.data.reportId === reportId) return true;
    }
    if (page.length < PAGE) return false;
  }
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
  await fileReportOfProduct({ commands }, { reportId, reason }, subjectState, origin);
  return subjectState;
}

/** Files a report of the product itself, which has no reporter. Idempotent. */
export async function fileReportOfProduct(
  { commands }: Pick<OpenCaseDependencies, 'commands'>,
  { reportId, reason }: Pick<JobPayloads['take-report-in'], 'reportId' | 'reason'>,
  subjectState: SubjectState,
  origin: CommandOrigin,
): Promise<void> {
  const command = { ...subjectState, reportId, reporterId: null, reason, text: null };
  await commands.execute(report, reportId, fileReport, command, origin);
}
