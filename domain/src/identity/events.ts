import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { logged, sealedAndLogged } from '../event-policies.ts';

const ids = { accountId: z.string(), checkId: z.string() };

export const identityEvents = [
  /**
   * A provider has uploaded pictures as proof of identity. The blob store contains the encrypted pictures below
   * `identity/{checkId}/`, numbered from 1. `hashes` are the perceptual hashes of the pictures, by which copies of a
   * picture that must be taken down are found. Earlier versions did not compute them.
   */
  defineEvent('IdentityCheckRequested', {
    version: 1,
    ...logged,
    schema: z.object({ ...ids, files: z.number(), hashes: z.optional(z.array(z.string())) }),
    personalFields: { hashes: undefined },
    getSubjectId: ({ accountId }: { accountId: string }) => accountId,
  }),
  /**
   * An admin has accepted or rejected the verification request. The reason is encrypted with the key of the provider.
   */
  defineEvent('IdentityCheckDecided', {
    version: 1,
    ...sealedAndLogged,
    schema: z.object({ ...ids, isAccepted: z.boolean(), reason: z.string() }),
    personalFields: { reason: '' },
  }),
  /** The pictures of the verification request were destroyed. The decision remains stored. */
  defineEvent('IdentityEvidenceDestroyed', { version: 1, ...logged, schema: z.object(ids) }),
] as const;
export type IdentityEvent = EventFromDefinition<(typeof identityEvents)[number]>;
