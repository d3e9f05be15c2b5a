import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

const caseId = z.string();
const subject = z.object({ kind: z.enum(['ad', 'media', 'account', 'thread', 'post', 'article']), id: z.string() });
/** The version that is judged: a stream as it stood after its event of this revision. */
const evidence = z.object({ stream: z.string(), revision: z.number() });
/** Whose content it is; null of what belongs to the house. */
const ownerId = z.nullable(z.string());
const ofOwner = (data: { ownerId: string | null }) => data.ownerId;

/** A moderator is to look at something. There is one case per subject; each time it is opened again is another round, from 1. */
export const CaseOpened = defineEvent('CaseOpened', {
  version: 1,
  schema: z.object({ caseId, subject, ownerId, round: z.number(), evidence }),
});

/** A report belongs to the case. `priority` is that of its reason. */
export const CaseReportAdded = defineEvent('CaseReportAdded', {
  version: 1,
  schema: z.object({
    caseId,
    reportId: z.string(),
    reason: z.enum(['under_age', 'forced', 'my_content', 'stolen', 'illegal', 'spam', 'other', 'known_image']),
    priority: z.enum(['high', 'normal']),
    evidence,
  }),
});

/** A moderator looks at it; others keep off until it is released, or the claim has run out. */
export const CaseClaimed = defineEvent('CaseClaimed', {
  version: 1,
  schema: z.object({ caseId, moderatorId: z.string() }),
});
export const CaseReleased = defineEvent('CaseReleased', {
  version: 1,
  schema: z.object({ caseId, moderatorId: z.string() }),
});

/**
 * What became of it, with what the poster is told. An automated one (of a report that hides at once, or of a hiding rule) leaves the case
 * open for a moderator; `hidingRuleId` names the hiding rule. `openedAt` is when the round began, for times to a decision.
 */
export const CaseDecided = defineEvent('CaseDecided', {
  version: 1,
  schema: z.object({
    caseId,
    decisionId: z.string(),
    round: z.number(),
    subject,
    ownerId,
    /** Null of an automated one. */
    moderatorId: z.nullable(z.string()),
    outcome: z.enum(['kept', 'hidden', 'removed', 'account_closed']),
    /** A rule of the house (`rules.ts`). */
    rule: z.string(),
    facts: z.string(),
    isAutomated: z.boolean(),
    hidingRuleId: z.nullable(z.string()),
    /** Whether it was out of sight when this was decided: only then does its poster hear of `kept`. */
    wasHidden: z.boolean(),
    evidence,
    openedAt: z.string(),
  }),
  personal: { facts: '' },
  subjectOf: ofOwner,
});

/** The poster does not agree, in words sealed with their key. */
export const AppealFiled = defineEvent('AppealFiled', {
  version: 1,
  schema: z.object({ caseId, decisionId: z.string(), accountId: z.string(), text: z.string() }),
  personal: { text: '' },
  subjectOf: (data: { accountId: string }) => data.accountId,
});

/** Another moderator has looked at it again. `filedAt` is when the appeal came. */
export const AppealDecided = defineEvent('AppealDecided', {
  version: 1,
  schema: z.object({
    caseId,
    decisionId: z.string(),
    accountId: z.string(),
    moderatorId: z.string(),
    outcome: z.enum(['upheld', 'overturned']),
    facts: z.string(),
    filedAt: z.string(),
  }),
  personal: { facts: '' },
  subjectOf: (data: { accountId: string }) => data.accountId,
});

export const moderationEvents = [
  CaseOpened,
  CaseReportAdded,
  CaseClaimed,
  CaseReleased,
  CaseDecided,
  AppealFiled,
  AppealDecided,
] as const;
export type ModerationEvent = EventOf<(typeof moderationEvents)[number]>;
