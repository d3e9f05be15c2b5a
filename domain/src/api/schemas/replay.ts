import * as z from 'zod/mini';
import { registerView } from '../component.ts';
import { REBUILD_STATES } from '../../replay/fields.ts';
import { count, booleanFlag, message, nextCursor, described, timestamp, registerSuccess } from './common.ts';

/** The progress or the result of a rebuild. A rebuild derives the tables of a projection from the event log again. */
export const rebuildView = registerView('RebuildView', {
  id: z.string(),
  state: described(
    z.enum(REBUILD_STATES),
    '`ready` waits for an admin to swap the tables in. `reverted` was swapped in and then reverted.',
  ),
  wish: described(z.nullable(z.enum(['pause', 'cancel'])), 'The requested action that is not carried out yet.'),
  events: described(count, 'Number of handled events.'),
  eventsPerSecond: count,
  fraction: described(z.number().check(z.minimum(0), z.maximum(1)), 'The estimated progress.'),
  secondsLeft: described(z.nullable(count), 'Estimated time until all past events are handled. Null if unknown.'),
  differingRows: described(
    z.nullable(count),
    'Rows that differ from the live tables at the same position. Null before the comparison.',
  ),
  error: described(z.nullable(z.string()), 'The error of a failed rebuild, or null.'),
  requestedBy: described(z.nullable(z.string()), 'The account of the admin.'),
  requestedAt: timestamp,
  updatedAt: timestamp,
});

/** The previous version of a projection, which the last swap replaced by a rebuilt version. */
export const previousVersionView = registerView('PreviousVersionView', {
  version: count,
  position: z.string(),
  isReverting: booleanFlag,
  keptAt: timestamp,
});

export const projectionView = registerView('ProjectionView', {
  name: z.string(),
  version: count,
  position: z.string(),
  lag: described(count, 'Unhandled events, counted up to 1,000.'),
  hasLostEvents: described(booleanFlag, 'The rows contain effects of events that the log has lost. They are rebuilt.'),
  rows: count,
  rowsAreEstimated: described(booleanFlag, 'There are too many rows for an exact count.'),
  parkedEvents: described(count, 'Events that were parked because of an error.'),
  waitingEvents: described(count, 'Events that wait for a parked event of their stream.'),
  rebuild: z.nullable(rebuildView),
  previous: described(z.nullable(previousVersionView), 'The version that a revert restores, or null.'),
});

export const projectionsResponse = registerSuccess('ProjectionsAnswer', { data: z.array(projectionView) });

/**
 * A row that differs between the rebuilt tables and the live tables of a projection. `kind` states whether the row is
 * missing, added or changed in the rebuilt tables. The response contains the current values of the row. Long values are
 * shortened.
 */
export const rowDifferenceView = registerView('RowDifferenceView', {
  table: z.string(),
  key: z.string(),
  kind: z.enum(['missing', 'added', 'changed']),
  columns: z.array(z.object({ column: z.string(), live: z.nullable(z.string()), rebuilt: z.nullable(z.string()) })),
});

export const differencesResponse = registerSuccess('DifferencesAnswer', {
  data: z.array(rowDifferenceView),
  total: count,
});

/**
 * An event that a projection could not handle and therefore stored with its error, or a later event that waits for such
 * an event.
 */
export const parkedEventView = registerView('ParkedEventView', {
  position: z.string(),
  stream: z.string(),
  type: z.string(),
  error: described(z.nullable(z.string()), 'Null if the event waits for another event of its stream.'),
  parkedAt: timestamp,
  event: described(
    z.nullable(
      z.object({
        id: z.string(),
        version: count,
        revision: count,
        at: timestamp,
        actor: described(z.string(), 'The account, or the part of the system.'),
        data: described(z.record(z.string(), z.unknown()), 'The data that identifies no person.'),
        sealed: described(z.array(z.string()), 'Names of the personal fields, whose values are not shown.'),
      }),
    ),
    'Null if the event cannot be read.',
  ),
});

export const parkedEventsResponse = registerSuccess('ParkedEventsAnswer', {
  data: z.array(parkedEventView),
  nextCursor,
});

export const rebuildRequestedResponse = registerSuccess('RebuildRequestedAnswer', {
  message,
  data: z.object({ rebuildId: z.string() }),
});
