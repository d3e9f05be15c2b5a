import * as z from 'zod/mini';
import { REASON_MAX, REASON_MIN } from '../account/fields.ts';
import { requiredText } from '../text-fields.ts';

export const IDENTITY_FILES_MAX = 2;
export const IDENTITY_FILE_MAX_bytes = 10_000_000;

/** `POST /admin/identity/{accountId}/decide`. */
export const identityDecisionFields = z.object({
  accept: z.boolean('Please accept or refuse'),
  reason: requiredText('Reason', REASON_MAX, REASON_MIN),
});
