import * as z from 'zod/mini';
import { registerView } from '../component.ts';
import { count, booleanFlag, described, timestamp, registerSuccess } from './common.ts';

/** Response of `GET /health`. With status 503, `success` is false and `status` is `unavailable`. */
export const healthResponse = registerView('HealthAnswer', {
  success: booleanFlag,
  status: z.enum(['ok', 'unavailable']),
  version: z.string(),
  time: timestamp,
});

/**
 * Response with the progress of each read model. Only admins see the positions in the event log and the exact lags
 * (R-7.34).
 */
export const syncResponse = registerSuccess('SyncAnswer', {
  data: z.object({
    head: described(z.nullable(z.string()), 'Position of the last event. Null except for admins.'),
    projections: z.array(
      z.object({
        name: z.string(),
        position: described(z.nullable(z.string()), 'Null except for admins.'),
        lag: described(count, 'Unhandled events, up to 1,000. In steps of 100 except for admins.'),
        state: z.enum(['live', 'catching up']),
      }),
    ),
  }),
});
