import { randomUUID } from 'node:crypto';
import { DomainError, fileReport, newReport, report, reportReference, type ReportAnswer } from '@alpenglow/domain';
import {
  jsonBody,
  lookAt,
  parseInput,
  requestIdOf,
  setPosition,
  takeReportIn,
  type AdDirectory,
  type Authentication,
  type CommandHandler,
  type CommandOrigin,
  type Logger,
} from '@alpenglow/infra';
import { Router } from 'express';
import { bodyOf } from '../ad-input.ts';
import { afterwards } from '../afterwards.ts';
import { lastPositionOf } from '../last-position.ts';

export interface ReportDependencies {
  readonly commands: CommandHandler;
  readonly ads: AdDirectory;
  readonly authentication: Authentication;
  readonly log: Logger;
}

/** Reports (design, trust and privacy): anybody may say that something is wrong, without a login. */
export function reportRoutes(deps: ReportDependencies): Router {
  const { commands, authentication } = deps;
  const router = Router();

  router.post('/', jsonBody, async (req, res) => {
    const principal = await authentication.optional(req);
    const said = parseInput(newReport, withTheirNames(bodyOf(req)));
    const looked = await lookAt(deps, said.subject);
    if (!looked?.isVisible) throw new DomainError('SUBJECT_NOT_FOUND');
    const reporterId = principal?.account.accountId ?? null;
    const reportId = randomUUID();
    const correlationId = requestIdOf(res);
    const origin: CommandOrigin = {
      actor: reporterId === null ? { kind: 'system', name: 'visitor' } : { kind: 'account', accountId: reporterId },
      correlationId,
    };
    // A profile may have been named by its ad; a post keeps the name it was reported by.
    const subject = said.subject.kind === 'account' ? looked.subject : said.subject;
    // Filed first: a call that breaks off after it is finished by a job (projectors, `reactor-moderation`).
    const filed = await commands.handle(
      report,
      reportId,
      (state) =>
        fileReport(
          { ...said, subject, reportId, reporterId, ownerId: looked.ownerId, evidence: looked.evidence },
          state,
        ),
      origin,
      { isNew: true },
    );
    const takeIn = () =>
      takeReportIn(
        deps,
        { reportId, subject, reason: said.reason },
        { actor: { kind: 'system', name: 'report' }, correlationId },
        looked,
      );
    const position = await afterwards(deps.log, 'take a report in', takeIn);
    setPosition(res, { position: lastPositionOf([filed, { position }]) });
    const reference = reportReference(reportId);
    res
      .status(201)
      .json({
        success: true,
        message: 'Thank you. We will look into it.',
        reference,
        data: { reference },
      } satisfies ReportAnswer);
  });

  return router;
}

/** `details` was the name of `text` before, and is still understood. */
function withTheirNames({ details, ...body }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...body, text: body['text'] ?? details };
}
