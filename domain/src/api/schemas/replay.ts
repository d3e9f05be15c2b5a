import * as z from 'zod/mini';
import { REBUILD_STATES } from '../../replay/fields.ts';
import { count, done, flag, message, nextCursor, said, time } from './common.ts';

/** A rebuild an admin asked for: how far it is, or what has become of it. */
export const rebuildView = z.object({
  id: z.string(),
  state: said(
    z.enum(REBUILD_STATES),
    '`ready` waits for the word of an admin to be swapped in; `reverted` was swapped in and gone back from.',
  ),
  wish: said(z.nullable(z.enum(['pause', 'cancel'])), 'What was asked for and is not done yet.'),
  events: said(count, 'Handled so far.'),
  eventsPerSecond: count,
  fraction: said(z.number().check(z.minimum(0), z.maximum(1)), 'How much is done; an estimate.'),
  secondsLeft: said(z.nullable(count), 'Until history is handled; null where that cannot be said.'),
  differingRows: said(
    z.nullable(count),
    'Rows that are not the same as those that are read, at one position; null before it was looked at.',
  ),
  error: said(z.nullable(z.string()), 'Why it failed; null when it did not.'),
  requestedBy: said(z.nullable(z.string()), 'The account of the admin.'),
  requestedAt: time,
  updatedAt: time,
});

/** The version a swap has put aside. */
export const previousVersionView = z.object({ version: count, position: z.string(), isReverting: flag, keptAt: time });

export const projectionView = z.object({
  name: z.string(),
  version: count,
  position: z.string(),
  lag: said(count, 'Events not handled yet, counted up to 1,000.'),
  rows: count,
  rowsAreEstimated: said(flag, 'Whether there are too many to be counted each time.'),
  parkedEvents: said(count, 'Events that were set aside with an error.'),
  waitingEvents: said(count, 'Events that wait behind them.'),
  rebuild: z.nullable(rebuildView),
  previous: said(z.nullable(previousVersionView), 'The version one can go back to, or null.'),
});

export const projectionsAnswer = z.object({ success: done, data: z.array(projectionView) });

/** A row that is not the same in the rebuilt tables: `missing` there, `added` there, or `changed`. Values are as they are now, shortened. */
export const rowDifferenceView = z.object({
  table: z.string(),
  key: z.string(),
  kind: z.enum(['missing', 'added', 'changed']),
  columns: z.array(z.object({ column: z.string(), live: z.nullable(z.string()), rebuilt: z.nullable(z.string()) })),
});

export const differencesAnswer = z.object({ success: done, data: z.array(rowDifferenceView), total: count });

/** An event that was set aside, or that waits behind one. */
export const parkedEventView = z.object({
  position: z.string(),
  stream: z.string(),
  type: z.string(),
  error: said(z.nullable(z.string()), 'Null when it waits behind another event of its stream.'),
  parkedAt: time,
  event: said(
    z.nullable(
      z.object({
        id: z.string(),
        version: count,
        revision: count,
        at: time,
        actor: said(z.string(), 'The account, or the part of the system.'),
        data: said(z.record(z.string(), z.unknown()), 'What identifies nobody.'),
        sealed: said(z.array(z.string()), 'Fields that are personal and not shown.'),
      }),
    ),
    'Null where this event cannot be read.',
  ),
});

export const parkedEventsAnswer = z.object({ success: done, data: z.array(parkedEventView), nextCursor });

export const rebuildRequestedAnswer = z.object({ success: done, message, data: z.object({ rebuildId: z.string() }) });
