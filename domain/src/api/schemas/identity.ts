import * as z from 'zod/mini';
import { registerView } from '../component.ts';
import { described, registerSuccess } from './common.ts';

const status = z.enum(['open', 'accepted', 'refused']);

/** Response of `GET` and `POST /account/identity` with the last verification request of the provider. */
export const identityResponse = registerSuccess('IdentityAnswer', {
  data: described(
    z.nullable(
      z.object({
        status,
        requestedAt: z.iso.datetime(),
        decidedAt: z.nullable(z.iso.datetime()),
        reason: described(z.nullable(z.string()), 'The reason that the admin gave.'),
      }),
    ),
    'The last request, or null.',
  ),
});

/** A request of a provider for verification of their identity, as shown to admins. */
export const identityCheckView = registerView('IdentityCheckView', {
  accountId: z.string(),
  displayName: described(z.nullable(z.string()), 'Null if the account no longer exists.'),
  email: z.nullable(z.string()),
  status,
  requestedAt: z.iso.datetime(),
  decidedAt: z.nullable(z.iso.datetime()),
  files: described(z.int(), 'Number of pictures. 0 after the decision.'),
});

/** Response of `GET /admin/identity` with one page of verification requests. */
export const identityChecksResponse = registerSuccess('IdentityChecksAnswer', {
  data: z.array(identityCheckView),
  nextCursor: z.nullable(z.string()),
});
