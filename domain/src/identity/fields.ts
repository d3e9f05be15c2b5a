import * as z from 'zod/mini';
import { registerBody } from '../api/component.ts';
import { REASON_LENGTH_MAX, REASON_LENGTH_MIN } from '../account/fields.ts';
import { requiredText } from '../text-fields.ts';

export const IDENTITY_FILES_MAX = 2;
export const IDENTITY_FILE_MAX_bytes = 10_000_000;

/** Request body of `POST /admin/identity/{accountId}/decide`, which accepts or rejects a verification request. */
export const identityDecisionFields = registerBody('IdentityDecision', {
  accept: z.boolean('Please accept or refuse'),
  reason: requiredText('Reason', REASON_LENGTH_MAX, REASON_LENGTH_MIN),
});
