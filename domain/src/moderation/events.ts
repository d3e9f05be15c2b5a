import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { logged, sealedAndLogged } from '../event-policies.ts';
import { storedCaseId, storedStreamId, storedSubject } from '../stored-ids.ts';

const caseId = storedCaseId;
const subject = storedSubject;
/** The judged version of the content. It results from the events of `stream` up to `revision`. */
const evidence = z.object({ stream: storedStreamId, revision: z.number() });
/** The owner of the content. Null for content of the operator. */
const ownerId = z.nullable(z.string());
const ownerIdOf = (data: { ownerId: string | null }) => data.ownerId;

export const moderationEvents = [
  /**
   * A case waits for a moderator. There is one case per subject. Each time the case is opened again, a new
   * round begins. The first round has the number 1.
   */
  defineEvent('CaseOpened', {
    version: 1,
    ...logged,
    schema: z.object({ caseId, subject, ownerId, round: z.number(), evidence }),
  }),
  /** A report was added to the case. `priority` depends on the reason of the report. */
  defineEvent('CaseReportAdded', {
    version: 1,
    ...logged,
    schema: z.object({
      caseId,
      reportId: z.string(),
      reason: z.enum(['under_age', 'forced', 'my_content', 'stolen', 'illegal', 'spam', 'other', 'known_image']),
      priority: z.enum(['high', 'normal']),
      evidence,
    }),
  }),
  /**
   * A moderator works on the case. Other moderators cannot claim it until the claim is released or has expired.
   */
  defineEvent('CaseClaimed', { version: 1, ...logged, schema: z.object({ caseId, moderatorId: z.string() }) }),
  defineEvent('CaseReleased', { version: 1, ...logged, schema: z.object({ caseId, moderatorId: z.string() }) }),
  /**
   * The decision of a case, with the facts for the poster. A report or a hiding rule causes an automated decision,
   * after which the case stays open for a moderator. `hidingRuleId` is the id of the hiding rule. Statistics compute
   * the time to a decision from `openedAt`, the start of the round.
   */
  defineEvent('CaseDecided', {
    version: 1,
    schema: z.object({
      caseId,
      decisionId: z.string(),
      round: z.number(),
      subject,
      ownerId,
      /** Null for an automated decision. */
      moderatorId: z.nullable(z.string()),
      outcome: z.enum(['kept', 'hidden', 'removed', 'account_closed']),
      /** Id of the violated house rule (`rules.ts`). */
      rule: z.string(),
      facts: z.string(),
      isAutomated: z.boolean(),
      hidingRuleId: z.nullable(z.string()),
      /**
       * True if the content was hidden at the time of the decision. If it is false, the outcome `kept` causes no
       * notification of the poster.
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
  /** The poster appeals against the decision. The text is sealed with the key of the poster. */
  defineEvent('AppealFiled', {
    version: 1,
    ...sealedAndLogged,
    schema: z.object({ caseId, decisionId: z.string(), accountId: z.string(), text: z.string() }),
    personalFields: { text: '' },
  }),
  /** Another moderator has decided the appeal. `filedAt` is the time at which the appeal was filed. */
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
