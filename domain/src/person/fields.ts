import * as z from 'zod/mini';
import { existingPassword, REASON_MAX, REASON_MIN } from '../account/fields.ts';
import { errorMessage } from '../errors.ts';
import { requiredText } from '../text-fields.ts';

/** `POST /account/erasure`: whoever asks is who they say. */
export const erasureFields = z.object({ password: existingPassword(errorMessage('WRONG_PASSWORD')) });

/** What an admin says of what they do about everything that is held of somebody. */
export const personReasonFields = z.object({ reason: requiredText('Reason', REASON_MAX, REASON_MIN) });

/** A receipt's number, as it stands in its address. */
export const RECEIPT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;
