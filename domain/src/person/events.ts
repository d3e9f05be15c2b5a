import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { loggedAndDisclosed, loggedWithReason } from '../event-policies.ts';
import { ERASURE_STEPS } from './steps.ts';

const accountId = z.string();
const erasureIds = { accountId, receiptId: z.string() };
/**
 * The reason that an admin gave. The text is encrypted with the key of the affected account, so an erasure of the
 * account's data also removes the text.
 */
const reason = z.nullable(z.string());

export const personEvents = [
  /** The person or an admin has requested the erasure of the person's data. */
  defineEvent('ErasureRequested', {
    version: 1,
    ...loggedWithReason,
    schema: z.object({ ...erasureIds, by: z.enum(['self', 'admin']), reason }),
  }),
  /** A step of the erasure of a person's data has been completed. */
  defineEvent('ErasureStepDone', {
    version: 1,
    ...loggedAndDisclosed,
    schema: z.object({ ...erasureIds, step: z.enum(ERASURE_STEPS) }),
  }),
  /** All steps of the erasure are done. The receipt of the erasure shows this. */
  defineEvent('ErasureCompleted', { version: 1, ...loggedAndDisclosed, schema: z.object(erasureIds) }),
  /**
   * A legal hold was set: a court or an authority needs the data of a person, so the data must be retained. A data
   * export does not contain this event, because only the operator and the authority may know about it.
   */
  defineEvent('LegalHoldSet', {
    version: 1,
    ...loggedWithReason,
    disclosedTo: 'nobody',
    schema: z.object({ accountId, reason }),
  }),
  defineEvent('LegalHoldLifted', {
    version: 1,
    ...loggedWithReason,
    disclosedTo: 'nobody',
    schema: z.object({ accountId, reason }),
  }),
] as const;
export type PersonEvent = EventFromDefinition<(typeof personEvents)[number]>;
