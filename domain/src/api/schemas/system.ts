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

const failure = {
  cause: described(z.nullable(z.string()), 'Why the consumer fails. Null except for admins.'),
  since: described(z.nullable(timestamp), 'The first failure. Null if the consumer does not fail.'),
};

/**
 * Response with the progress of each read model, and the other consumers of events that fail. Only admins see the
 * positions in the event log, the exact lags and the causes of failures.
 */
export const syncResponse = registerSuccess('SyncAnswer', {
  data: z.object({
    head: described(
      z.nullable(z.string()),
      'Position of the last event. Null except for admins, and during an outage of the event store.',
    ),
    projections: z.array(
      z.object({
        name: z.string(),
        position: described(z.nullable(z.string()), 'Null except for admins.'),
        lag: described(
          count,
          'Unhandled events, up to 1,000. In steps of 100 except for admins. 0 during an outage of the event store.',
        ),
        state: described(z.enum(['live', 'catching up', 'failing']), 'Failing after a minute of failures.'),
        ...failure,
      }),
    ),
    consumers: described(
      z.array(z.object({ name: z.string(), state: z.enum(['failing']), ...failure })),
      'Other consumers of events that fail, e.g. a reactor or the audit chain.',
    ),
  }),
});
