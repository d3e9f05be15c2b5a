import * as z from 'zod/mini';
import { registerRequestSchema } from '../api/component.ts';
import { CONSENT_CHOICES, CONSENT_KINDS, type ConsentKind } from './texts.ts';

const VALID_CHOICES: Readonly<Record<ConsentKind, readonly string[]>> = {
  age_gate: ['accepted'],
  guidelines: ['accepted'],
  cookies: ['essential', 'all'],
};
const NO_KIND = 'Which text was it?';
const NO_CHOICE = 'This text cannot be answered so';

/**
 * Request body of `POST /consents`. `visitorId` identifies a visitor without a login. It is a random id that the
 * browser creates.
 */
export const newConsentFields = registerRequestSchema(
  'NewConsent',
  z
    .object({
      kind: z.enum(CONSENT_KINDS, NO_KIND),
      textVersion: z
        .int('Which version of the text was it?')
        .check(
          z.minimum(1, 'Which version of the text was it?'),
          z.maximum(10_000, 'Which version of the text was it?'),
        ),
      choice: z.enum(CONSENT_CHOICES, NO_CHOICE),
      visitorId: z.optional(z.nullable(z.uuid('A visitor’s id is a UUID'))),
    })
    .check(
      z.refine(({ kind, choice }) => VALID_CHOICES[kind].includes(choice), { error: NO_CHOICE, path: ['choice'] }),
    ),
);
export type NewConsent = z.output<typeof newConsentFields>;
