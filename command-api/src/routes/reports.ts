import {
  DomainError,
  parseSubject,
  report,
  reportReference,
  type Decision,
  type FileReport,
  type ReportEvent,
  type ReportState,
  findSubject,
  addReportToCase,
  findLastPosition,
} from '@alpenglow/domain';
import { fileReport } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, setPosition } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createObjectId, createVisitorOrigin } from '../origin.ts';
import { runFollowUp } from '../follow-up.ts';
import { createReportWeights } from './report-weight.ts';

/** The operation to report content. A visitor may file a report without a login. */
export function reportRoutes(
  deps: Dependencies<'commands' | 'ads' | 'authentication' | 'reportHistory' | 'counters' | 'hashKey' | 'log'>,
) {
  const { commands, authentication } = deps;
  const weights = createReportWeights(deps);
  const router = createOperationRouter();

  router.on('fileReport', async (req, res) => {
    const principal = await authentication.findPrincipal(req);
    const fields = getInput(req);
    const requested = parseSubject(fields.subject);
    const subjectState = requested && (await findSubject(deps, requested));
    const reporterId = principal?.account.accountId ?? null;
    const origin = createVisitorOrigin(reporterId, res);
    const reportId = createObjectId(origin);
    const client = { reporter: principal?.account ?? null, address: req.ip };
    const commandsToFile: FileReport[] = [];
    const before = async () => {
      if (!requested || !subjectState?.isVisible) throw new DomainError('SUBJECT_NOT_FOUND');
      commandsToFile.push({
        ...fields,
        // A report about a profile may contain the id of the profile's ad instead of the account id, so the account id
        // is inserted here. Other reported content keeps its id.
        subject: requested.kind === 'account' ? subjectState.subject : requested,
        reportId,
        reporterId,
        ownerId: subjectState.ownerId,
        evidence: subjectState.evidence,
        weight: await weights.find({ ...client, reportId, reason: fields.reason, subject: subjectState }),
      });
    };
    const decide: Decision<ReportState, ReportEvent> = (state, context) =>
      commandsToFile.flatMap((command) => fileReport(command, state, context));
    // The report is stored first. If the process ends before the next step, a background process, `reactor-moderation`,
    // adds the report to a moderation case.
    const filed = await commands.handle(report, reportId, decide, origin, { isNew: true, before });
    const [event] = filed.events as readonly ReportEvent[];
    if (!event) throw new Error('The report has no event');
    await runFollowUp(deps.log, 'store the source of a report', () => weights.storeSource(reportId, client));
    const acceptReport = () =>
      addReportToCase(
        deps,
        event.data,
        { ...origin, actor: { kind: 'system', name: 'report' } },
        subjectState ?? undefined,
      );
    const position = await runFollowUp(deps.log, 'open or join the case of a report', acceptReport);
    setPosition(res, { position: findLastPosition([filed, { position }]) });
    const reference = reportReference(reportId, new Date().toISOString());
    res.status(201).json({
      success: true,
      message: 'Thank you. We will look into it.',
      reference,
      data: { reference },
    });
  });

  return router;
}
