import * as z from 'zod/mini';
import { CONSENT_CHOICES, CONSENT_KINDS, type ConsentKind } from './texts.ts';

const FITTING: Readonly<Record<ConsentKind, readonly string[]>> = {
  age_gate: ['accepted'],
  guidelines: ['accepted'],
  cookies: ['essential', 'all'],
};
const NO_KIND = 'Which text was it?';
const NO_CHOICE = 'This text cannot be answered so';

/** `POST /consents`. `visitorId` is for those who are not signed in: random, made in their browser. */
export const newConsent = z
  .object({
    kind: z.enum(CONSENT_KINDS, NO_KIND),
    textVersion: z
      .int('Which version of the text was it?')
      .check(z.minimum(1, 'Which version of the text was it?'), z.maximum(10_000, 'Which version of the text was it?')),
    choice: z.enum(CONSENT_CHOICES, NO_CHOICE),
    visitorId: z.optional(z.nullable(z.uuid('A visitor’s id is a UUID'))),
  })
  .check(z.refine(({ kind, choice }) => FITTING[kind].includes(choice), { error: NO_CHOICE, path: ['choice'] }));
export type NewConsent = z.output<typeof newConsent>;
