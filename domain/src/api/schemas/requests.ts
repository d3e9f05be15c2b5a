import * as z from 'zod/mini';
import { registerView } from '../component.ts';
import { booleanFlag, count, described, registerSuccess, timestamp } from './common.ts';
import { actorView } from './history.ts';

/** Schemas of what admins find with the id of a request. */

const failedRequestView = registerView('FailedRequestView', {
  at: timestamp,
  service: described(z.string(), 'The service that sent the error response.'),
  method: z.string(),
  path: described(z.string(), 'Without the query. Unknown segments are `*`.'),
  status: count,
  code: described(z.nullable(z.string()), 'The code of the error. Null if the response is not one of the API.'),
  cause: described(
    z.nullable(z.string()),
    'The name and code of the error that the response does not contain. Null if there is none.',
  ),
  duration_ms: count,
});

const requestEventView = registerView('RequestEventView', {
  id: z.string(),
  type: described(z.string(), 'The event type, such as `AdBumped`.'),
  stream: z.string(),
  revision: described(count, 'Number in the stream, starting with 0.'),
  position: described(z.string(), 'Position in the event log.'),
  at: timestamp,
  actor: actorView,
  causationId: described(z.nullable(z.string()), 'The id of the event that caused this one.'),
  handled: described(count, 'Number of read models that contain or do not need this event.'),
  pending: described(
    z.array(z.object({ name: z.string(), isFailing: booleanFlag })),
    'The read models that have not handled this event yet, and other consumers of events that fail.',
  ),
  parked: described(
    z.array(z.object({ name: z.string(), error: z.nullable(z.string()) })),
    'The consumers that could not handle this event. `error` is null if it waits for an earlier event.',
  ),
  jobs: described(
    z.array(z.object({ kind: z.string(), enqueuedAt: timestamp })),
    'The background jobs of this event that have not finished.',
  ),
});

/** The stored error responses and events of a request. The lists are empty for an unknown request. */
const requestView = registerView('RequestView', {
  id: described(z.string(), 'The id of the request.'),
  traceId: described(z.string(), 'The id of its trace, if spans are recorded.'),
  failures: described(z.array(failedRequestView), 'Its error responses, the oldest first.'),
  events: described(z.array(requestEventView), 'Its events in the order of the log, at most 100.'),
});

export const requestResponse = registerSuccess('RequestAnswer', { data: requestView });
