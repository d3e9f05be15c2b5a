import * as z from 'zod/mini';
import { registerBody } from '../api/component.ts';
import { email, passwordToCheck, REASON_LENGTH_MAX, REASON_LENGTH_MIN } from '../account/fields.ts';
import { errorMessage } from '../error-catalogue.ts';
import { requiredText } from '../text-fields.ts';

/** Request body of `POST /account/erasure`. The password confirms the identity of the requester. */
export const erasureFields = registerBody('Erasure', { password: passwordToCheck(errorMessage('WRONG_PASSWORD')) });

/** The reason of an admin for an erasure or a legal hold. */
export const personReasonFields = registerBody('PersonReason', {
  reason: requiredText('Reason', REASON_LENGTH_MAX, REASON_LENGTH_MIN),
});

/**
 * Request body of the erasure of another person by an admin. The address shows that the admin means this person
 * (R-16.14).
 */
export const personErasureFields = registerBody('PersonErasure', {
  ...personReasonFields.shape,
  email: z.optional(email),
});

/** The pattern for the id of an erasure receipt in URLs. The receipt proves that an account's data is erased. */
export const RECEIPT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;
