import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

const ids = { accountId: z.string(), checkId: z.string() };

/** A provider has handed in pictures that show who they are. They lie sealed below `identity/{checkId}/`, numbered from 1. */
export const IdentityCheckRequested = defineEvent('IdentityCheckRequested', {
  version: 1,
  schema: z.object({ ...ids, files: z.number() }),
});

/** An admin has looked at them. The reason is sealed with the provider's key. */
export const IdentityCheckDecided = defineEvent('IdentityCheckDecided', {
  version: 1,
  schema: z.object({ ...ids, isAccepted: z.boolean(), reason: z.string() }),
  personal: { reason: '' },
  subjectOf: (data: { accountId: string }) => data.accountId,
});

/** The pictures are gone; the decision stays. */
export const IdentityEvidenceDestroyed = defineEvent('IdentityEvidenceDestroyed', {
  version: 1,
  schema: z.object(ids),
});

export const identityEvents = [IdentityCheckRequested, IdentityCheckDecided, IdentityEvidenceDestroyed] as const;
export type IdentityEvent = EventOf<(typeof identityEvents)[number]>;
