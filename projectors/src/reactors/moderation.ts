import { STOCK_OWNER_ID, type RecordedDomainEvent, type RemovalMailTopic } from '@alpenglow/domain';
import type { Job, Reactor } from './run-reactor.ts';

function removalJob(
  about: RemovalMailTopic,
  { data: { requestId }, meta }: Pick<RecordedDomainEvent, 'meta'> & { readonly data: { readonly requestId: string } },
): Job {
  return { kind: 'removal', payload: { requestId, about, at: meta.at } };
}

/**
 * Creates the jobs that add a report to its moderation case, apply a decision to the reported content and notify the
 * owner of the content, and carry out removal requests. If a request was interrupted after it had written its event,
 * the job completes the request.
 */
export const moderation: Reactor = {
  name: 'reactor-moderation',
  on: {
    // The product itself files this report, and the report has the same id as the event. A person who has the id of a
    // report can read the report, so no API response contains the id of this event. Stock pictures are excluded,
    // because they have no owner who could be reported.
    MediaRejected: ({ id, data: { code, ownerId } }) =>
      code === 'PHOTO_NOT_USABLE' && ownerId !== STOCK_OWNER_ID
        ? {
            kind: 'take-report-in',
            payload: { reportId: id, subject: { kind: 'account', id: ownerId }, reason: 'known_image' },
          }
        : null,
    AdReviewed: ({ id, data: { adId, wave } }) =>
      wave === undefined
        ? null
        : {
            kind: 'take-report-in',
            payload: { reportId: id, subject: { kind: 'ad', id: adId }, reason: 'review_wave' },
          },
    ReportFiled: ({ data: { reportId, subject, reason, weight } }) => ({
      kind: 'take-report-in',
      payload: { reportId, subject, reason, ...(weight !== undefined && { weight }) },
    }),
    CaseDecided: ({ data: { caseId, decisionId }, meta }) => ({
      kind: 'settle-case',
      payload: { caseId, decisionId, about: 'decision', decidedAt: meta.at },
    }),
    AppealDecided: ({ data: { caseId, decisionId }, meta }) => ({
      kind: 'settle-case',
      payload: { caseId, decisionId, about: 'appeal', decidedAt: meta.at },
    }),
    RemovalRequested: (event) => removalJob('requested', event),
    RemovalWarned: (event) => removalJob('warned', event),
    RemovalWithdrawn: (event) => removalJob('withdrawn', event),
    RemovalDecided: (event) => removalJob('decided', event),
    RemovalCompleted: (event) => removalJob('completed', event),
    RemovalAppealed: (event) => removalJob('appealed', event),
    RemovalAppealDecided: (event) => removalJob('appeal-decided', event),
  },
};
