import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { logged } from '../event-policies.ts';
import { storedSubject } from '../stored-ids.ts';

const requestId = z.string();
/** The request has its own key, so that its personal data is erased without an account. */
const sealedForRequest = {
  secretFields: [],
  moderationLog: 'always',
  disclosedTo: 'nobody',
  getSubjectId: (data: { requestId: string }) => data.requestId,
} as const;

export const removalEvents = [
  /**
   * A person has asked for the removal of intimate pictures. `requestedAt` begins the time in which the
   * request must be decided. It is not the time of the event, because a lost event is recovered from its second copy
   * . `subjects` are the contents that the links and hashes named at this time. `hidesAtOnce` is false above
   * the limit of a network.
   */
  defineEvent('RemovalRequested', {
    version: 1,
    ...sealedForRequest,
    schema: z.object({
      requestId,
      requestedAt: z.string(),
      relation: z.enum(['self', 'representative']),
      subjects: z.array(storedSubject),
      hidesAtOnce: z.boolean(),
      isRecovered: z.boolean(),
      name: z.string(),
      email: z.string(),
      links: z.array(z.string()),
      hashes: z.array(z.string()),
      signature: z.string(),
    }),
    personalFields: { name: '', email: '', links: [], hashes: [], signature: '' },
  }),
  /** The person has added a text to the request. */
  defineEvent('RemovalNoteAdded', {
    version: 1,
    ...sealedForRequest,
    schema: z.object({ requestId, text: z.string() }),
    personalFields: { text: '' },
  }),
  defineEvent('RemovalWithdrawn', { version: 1, ...logged, schema: z.object({ requestId }) }),
  /** The request has waited for `after_h` hours, so staff are warned. */
  defineEvent('RemovalWarned', {
    version: 1,
    ...logged,
    schema: z.object({ requestId, after_h: z.number(), deadline: z.string() }),
  }),
  /** A moderator has decided the request. `facts` are the reasons. */
  defineEvent('RemovalDecided', {
    version: 1,
    ...sealedForRequest,
    schema: z.object({
      requestId,
      requestedAt: z.string(),
      moderatorId: z.string(),
      outcome: z.enum(['valid', 'rejected']),
      facts: z.string(),
    }),
    personalFields: { facts: '' },
  }),
  /**
   * Copies were found among the pictures of identity checks, which are destroyed next. The number of checks is then
   * known if the removal is interrupted.
   */
  defineEvent('RemovalIdentityCopiesFound', {
    version: 1,
    ...logged,
    schema: z.object({
      requestId,
      identityCopies: z.array(z.object({ accountId: z.string(), checkId: z.string() })),
    }),
  }),
  /**
   * Everything that the request names, and all known copies, are removed. `requestedAt` serves for statistics.
   * `identityChecks` is the number of identity checks whose pictures were removed. It is missing if there was none.
   */
  defineEvent('RemovalCompleted', {
    version: 1,
    ...logged,
    schema: z.object({
      requestId,
      requestedAt: z.string(),
      removed: z.array(storedSubject),
      copies: z.number(),
      identityChecks: z.optional(z.number()),
    }),
  }),
  /** The person appeals against the rejection. */
  defineEvent('RemovalAppealed', {
    version: 1,
    ...sealedForRequest,
    schema: z.object({ requestId, text: z.string() }),
    personalFields: { text: '' },
  }),
  /** Another moderator has decided the appeal. `appealedAt` serves for statistics. */
  defineEvent('RemovalAppealDecided', {
    version: 1,
    ...sealedForRequest,
    schema: z.object({
      requestId,
      appealedAt: z.string(),
      moderatorId: z.string(),
      outcome: z.enum(['upheld', 'overturned']),
      facts: z.string(),
    }),
    personalFields: { facts: '' },
  }),
  /** The key of the request was destroyed, so its personal data cannot be read any more. */
  defineEvent('RemovalDataErased', { version: 1, ...logged, schema: z.object({ requestId }) }),
] as const;
export type RemovalEvent = EventFromDefinition<(typeof removalEvents)[number]>;
