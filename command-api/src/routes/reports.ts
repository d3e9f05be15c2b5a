import { randomUUID } from 'node:crypto';
import { DomainError, parseSubject, report, reportReference, type ReportResponse } from '@alpenglow/domain';
import { fileReport } from '@alpenglow/domain/deciders';
import {
  findSubject,
  createOperationRouter,
  getInput,
  setPosition,
  addReportToCase,
  findLastPosition,
} from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createVisitorOrigin } from '../origin.ts';
import { runFollowUp } from '../follow-up.ts';

/** The operation to report content. A visitor may file a report without a login. */
export function reportRoutes(deps: Dependencies<'commands' | 'ads' | 'authentication' | 'log'>) {
  const { commands, authentication } = deps;
  const router = createOperationRouter();

  router.on('fileReport', async (req, res) => {
    const principal = await authentication.findPrincipal(req);
    const fields = getInput(req, normaliseReportInput);
    const requested = parseSubject(fields.subject);
    const subjectState = requested && (await findSubject(deps, requested));
    if (!requested || !subjectState?.isVisible) throw new DomainError('SUBJECT_NOT_FOUND');
    const reporterId = principal?.account.accountId ?? null;
    const reportId = randomUUID();
    const origin = createVisitorOrigin(reporterId, res);
    // A report about a profile may contain the id of the profile's ad instead of the account id, so the account id is
    // inserted here. Other reported content keeps its id.
    const subject = requested.kind === 'account' ? subjectState.subject : requested;
    // The report is stored first. If the process ends before the next step, a background process, `reactor-moderation`,
    // adds the report to a moderation case.
    const filed = await commands.execute(
      report,
      reportId,
      fileReport,
      { ...fields, subject, reportId, reporterId, ownerId: subjectState.ownerId, evidence: subjectState.evidence },
      origin,
      { isNew: true },
    );
    const acceptReport = () =>
      addReportToCase(
        deps,
        { reportId, subject, reason: fields.reason },
        { ...origin, actor: { kind: 'system', name: 'report' } },
        subjectState,
      );
    const position = await runFollowUp(deps.log, 'open or join the case of a report', acceptReport);
    setPosition(res, { position: findLastPosition([filed, { position }]) });
    const reference = reportReference(reportId);
    res.status(201).json({
      success: true,
      message: 'Thank you. We will look into it.',
      reference,
      data: { reference },
    } satisfies ReportResponse);
  });

  return router;
}

/** Renames the field `details` of a report to `text`, because clients may use either name. */
function normaliseReportInput({
  details,
  ...body
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...body, text: body['text'] ?? details };
}
