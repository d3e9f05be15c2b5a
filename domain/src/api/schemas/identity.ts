import * as z from 'zod/mini';
import { done, said } from './common.ts';

const status = z.enum(['open', 'accepted', 'refused']);

/** `GET` and `POST /account/identity`. */
export const identityAnswer = z.object({
  success: done,
  data: said(
    z.nullable(
      z.object({
        status,
        requestedAt: z.iso.datetime(),
        decidedAt: z.nullable(z.iso.datetime()),
        reason: said(z.nullable(z.string()), 'What the admin said of the decision.'),
      }),
    ),
    'The last request; null before the first.',
  ),
});

/** A request, as admins see it. */
export const identityCheckView = z.object({
  accountId: z.string(),
  displayName: said(z.nullable(z.string()), 'Null where the account is gone.'),
  email: z.nullable(z.string()),
  status,
  requestedAt: z.iso.datetime(),
  decidedAt: z.nullable(z.iso.datetime()),
  files: said(z.int(), 'How many pictures there are to look at; none once it was decided.'),
});

/** `GET /admin/identity`. */
export const identityChecksAnswer = z.object({
  success: done,
  data: z.array(identityCheckView),
  nextCursor: z.nullable(z.string()),
});
