import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { logged, sealedAndLogged } from '../event-policies.ts';
import { storedCaseId, storedReportReason, storedStreamId, storedSubject } from '../stored-ids.ts';

const caseId = storedCaseId;
const subject = storedSubject;
/**
 * Identifies the version of the content that is judged. This version results from the events of `stream` up to
 * `revision`.
 */
const evidence = z.object({ stream: storedStreamId, revision: z.number() });
/** The account that owns the content. Null for content of the operator of the site, e.g. an article. */
const ownerId = z.nullable(z.string());
const ownerIdOf = (data: { ownerId: string | null }) => data.ownerId;

export const moderationEvents = [
  /**
   * A moderation case was opened and waits for a moderator. All reports about the same content belong to the same case.
   * `round` counts how often the case was opened, starting with 1.
   */
  defineEvent('CaseOpened', {
    version: 1,
    ...logged,
    schema: z.object({ caseId, subject, ownerId, round: z.number(), evidence }),
  }),
  /**
   * A report was added to a moderation case. `priority` depends on the reason of the report. An absent `weight` means
   * the full weight, see `report/weight.ts`. Version 2 added the reasons `known_copy` and `removal_request`.
   */
  defineEvent('CaseReportAdded', {
    version: 2,
    upcasters: { 1: (data) => data },
    ...logged,
    schema: z.object({
      caseId,
      reportId: z.string(),
      reason: storedReportReason,
      priority: z.enum(['high', 'normal']),
      evidence,
      weight: z.optional(z.number()),
    }),
  }),
  /**
   * A moderator has claimed a moderation case. Other moderators cannot claim the case until the claim is released or
   * has expired.
   */
  defineEvent('CaseClaimed', { version: 1, ...logged, schema: z.object({ caseId, moderatorId: z.string() }) }),
  defineEvent('CaseReleased', { version: 1, ...logged, schema: z.object({ caseId, moderatorId: z.string() }) }),
  /**
   * A moderation case was decided. `facts` is the explanation for the poster. A report or a hiding rule causes an
   * automated decision, after which the case stays open for a moderator. `hidingRuleId` is the id of the hiding rule.
   * `openedAt` is the time at which the case was last opened. Statistics use it to compute the time to a decision.
   * Version 2 added the outcomes `warned`, `change_requested` and `photo_removed`, and their optional fields.
   */
  defineEvent('CaseDecided', {
    version: 2,
    upcasters: { 1: (data) => data },
    schema: z.object({
      caseId,
      decisionId: z.string(),
      round: z.number(),
      subject,
      ownerId,
      /** The moderator who made the decision. Null for an automated decision. */
      moderatorId: z.nullable(z.string()),
      outcome: z.enum(['kept', 'warned', 'change_requested', 'photo_removed', 'hidden', 'removed', 'account_closed']),
      /**
       * The time at which unchanged content is hidden. It is set for a requested change, and for the automated decision
       * that hides the content because it was not changed.
       */
      changeBy: z.optional(z.string()),
      /** The photo of the ad that the decision removes. It is set for the outcome `photo_removed`. */
      photoId: z.optional(z.string()),
      /** Id of the violated house rule (`rules.ts`). */
      rule: z.string(),
      facts: z.string(),
      isAutomated: z.boolean(),
      hidingRuleId: z.nullable(z.string()),
      /**
       * True if the content was hidden at the time of the decision. If the content was visible and the outcome is
       * `kept`, nothing changes for the poster, so the poster is not notified.
       */
      wasHidden: z.boolean(),
      evidence,
      openedAt: z.string(),
    }),
    personalFields: { facts: '' },
    secretFields: [],
    moderationLog: 'always',
    disclosedTo: 'subject',
    getSubjectId: ownerIdOf,
  }),
  /**
   * The owner of the content responds to an automated decision, before a moderator decides. The text is
   * encrypted with the key of the owner's account.
   */
  defineEvent('OwnerResponded', {
    version: 1,
    ...sealedAndLogged,
    schema: z.object({ caseId, decisionId: z.string(), accountId: z.string(), text: z.string() }),
    personalFields: { text: '' },
  }),
  /**
   * The poster appeals against the decision. The text of the appeal is encrypted with the key of the poster's account.
   */
  defineEvent('AppealFiled', {
    version: 1,
    ...sealedAndLogged,
    schema: z.object({ caseId, decisionId: z.string(), accountId: z.string(), text: z.string() }),
    personalFields: { text: '' },
  }),
  /**
   * A moderator who did not make the original decision has decided the appeal. `filedAt` is the time at which the
   * appeal was filed.
   */
  defineEvent('AppealDecided', {
    version: 1,
    ...sealedAndLogged,
    schema: z.object({
      caseId,
      decisionId: z.string(),
      accountId: z.string(),
      moderatorId: z.string(),
      outcome: z.enum(['upheld', 'overturned']),
      facts: z.string(),
      filedAt: z.string(),
    }),
    personalFields: { facts: '' },
  }),
] as const;
export type ModerationEvent = EventFromDefinition<(typeof moderationEvents)[number]>;
