import * as z from 'zod/mini';
import { registerView } from '../component.ts';
import { ERASURE_STEPS } from '../../person/steps.ts';
import { message, described, timestamp, registerSuccess } from './common.ts';

/**
 * The state of an erasure of personal data, as shown in the receipt of the erasure. The receipt itself contains no
 * personal data.
 */
export const erasureView = registerView('ErasureView', {
  receiptId: described(z.string(), 'Gives access to the receipt without a sign-in. It cannot be guessed.'),
  requestedAt: timestamp,
  status: described(z.enum(['under_way', 'complete']), '`complete`: no data that identifies the person is left.'),
  steps: described(z.array(z.object({ step: z.enum(ERASURE_STEPS), at: timestamp })), 'The completed steps in order.'),
  completedAt: z.nullable(timestamp),
});

/** Response to a request for an erasure of personal data. */
export const erasureResponse = registerSuccess('ErasureAnswer', { message, data: erasureView });
/** Response of `GET /account/erasure/{receiptId}` with the state of an erasure. */
export const receiptResponse = registerSuccess('ReceiptAnswer', { data: erasureView });

/** The legal hold on the data of a person, and the last erasure of the data, as shown to admins. */
const personDataView = registerView('PersonDataView', {
  accountId: z.string(),
  heldSince: described(z.nullable(timestamp), 'Start of the legal hold. Null if there is none.'),
  erasure: described(z.nullable(erasureView), 'The last erasure, or null.'),
});
export const personDataResponse = registerSuccess('PersonDataAnswer', { data: personDataView });
