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

/** Response with the position of the last event in the event log, and with the progress of each read model. */
export const syncResponse = registerSuccess('SyncAnswer', {
  data: z.object({
    head: described(z.string(), 'Position of the last event.'),
    projections: z.array(
      z.object({
        name: z.string(),
        position: z.string(),
        lag: described(count, 'Unhandled events. 1,000 means 1,000 or more.'),
        state: z.enum(['live', 'catching up']),
      }),
    ),
  }),
});
