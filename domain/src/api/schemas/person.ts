import * as z from 'zod/mini';
import { ERASURE_STEPS } from '../../person/steps.ts';
import { done, message, said, time } from './common.ts';

/** How far an erasure is: what its receipt shows. It names nobody. */
export const erasureView = z.object({
  receiptId: said(z.string(), 'Shows how far the erasure is, without a sign-in. Nobody else can guess it.'),
  requestedAt: time,
  status: said(z.enum(['under_way', 'complete']), '`complete`: nothing that says who it was is left.'),
  steps: said(z.array(z.object({ step: z.enum(ERASURE_STEPS), at: time })), 'What is done, in order.'),
  completedAt: z.nullable(time),
});

/** Answer of asking for an erasure. */
export const erasureAnswer = z.object({ success: done, message, data: erasureView });
/** `GET /account/erasure/{receiptId}`. */
export const receiptAnswer = z.object({ success: done, data: erasureView });

/** What an admin sees of what is to be kept or to go of somebody. */
export const personDataView = z.object({
  accountId: z.string(),
  heldSince: said(
    z.nullable(time),
    'Since when everything held about them is to be kept; null where nothing speaks against an erasure.',
  ),
  erasure: said(z.nullable(erasureView), 'The last one; null where there was none.'),
});
export const personDataAnswer = z.object({ success: done, data: personDataView });
