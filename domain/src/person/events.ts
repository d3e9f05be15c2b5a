import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { ERASURE_STEPS } from './steps.ts';

const accountId = z.string();
const subjectOf = (data: { accountId: string }) => data.accountId;
const ofErasure = { accountId, receiptId: z.string() };
/** An admin's words, sealed with the key of the account they are about: after an erasure they are gone, too. */
const reason = z.nullable(z.string());
const noReason = { reason: null };

/** Everything held about somebody is to go: at their own wish, or by an admin for them. */
export const ErasureRequested = defineEvent('ErasureRequested', {
  version: 1,
  schema: z.object({ ...ofErasure, by: z.enum(['self', 'admin']), reason }),
  personal: noReason,
  subjectOf,
});

/** One place has nothing of them any more. */
export const ErasureStepDone = defineEvent('ErasureStepDone', {
  version: 1,
  schema: z.object({ ...ofErasure, step: z.enum(ERASURE_STEPS) }),
});

/** Nothing is left to do: the receipt says so. */
export const ErasureCompleted = defineEvent('ErasureCompleted', { version: 1, schema: z.object(ofErasure) });

/** What is held about somebody is to be kept, whatever they ask: a court or an authority wants it. */
export const LegalHoldSet = defineEvent('LegalHoldSet', {
  version: 1,
  schema: z.object({ accountId, reason }),
  personal: noReason,
  subjectOf,
});
export const LegalHoldLifted = defineEvent('LegalHoldLifted', {
  version: 1,
  schema: z.object({ accountId, reason }),
  personal: noReason,
  subjectOf,
});

export const personEvents = [
  ErasureRequested,
  ErasureStepDone,
  ErasureCompleted,
  LegalHoldSet,
  LegalHoldLifted,
] as const;
export type PersonEvent = EventOf<(typeof personEvents)[number]>;
