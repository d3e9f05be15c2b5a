import {
  removalDeadline,
  removalErasureDue,
  removalEvents,
  removalReference,
  type RemovalEvent,
} from '@alpenglow/domain';
import { declaredReadModel } from '@alpenglow/infra';
import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  request_id: 'text primary key',
  reference: 'text not null',
  requested_at: 'timestamptz not null',
  /** `open`, `appealed`, `withdrawn`, `rejected`, `valid` or `completed`. */
  status: 'text not null',
  /** The time since which the request or its appeal waits. Null if nothing remains to be done. */
  waits_since: 'timestamptz',
  /** The end of the time to decide and to complete the removal. Null if nothing remains to be done. */
  deadline: 'timestamptz',
  relation: 'text not null',
  content_count: 'integer not null',
  hides_at_once: 'boolean not null',
  /** The hours after which staff were warned last. 0 without a warning. */
  warned_h: 'integer not null',
  /** The time of the last rejection, completion or withdrawal. Null before. */
  closed_at: 'timestamptz',
  /** The time at which the personal data is erased. Null while the request waits, and after the erasure. */
  erase_at: 'timestamptz',
} as const;

type Status = 'open' | 'appealed' | 'withdrawn' | 'rejected' | 'valid' | 'completed';

/** A removal request, without personal data. The state of the request is read from its events. */
export type RemovalRow = RowOf<typeof columns, { readonly status: Status }>;

const NOT_WAITING = { waits_since: null, deadline: null, warned_h: 0 } as const;

const TYPES: ReadonlySet<string> = new Set(removalEvents.map(({ type }) => type));

/** Returns the row of a closed request. `at` is the time of the event in ISO 8601. */
const closed = (row: RemovalRow, status: Status, at: string): RemovalRow => ({
  ...row,
  ...NOT_WAITING,
  status,
  closed_at: at,
  erase_at: removalErasureDue(at, status === 'withdrawn'),
});

/** Returns the row after a decision. A valid request waits until everything is removed. */
const decided = (row: RemovalRow, outcome: 'valid' | 'rejected', at: string): RemovalRow =>
  outcome === 'valid' ? { ...row, status: 'valid' } : closed(row, 'rejected', at);

export const removalRequests = defineProjection<RemovalRow>({
  ...declaredReadModel('removal_requests'),
  columns,
  ignoresPersonalFields: true,
  indexes: (table) => [
    `create index on ${table} (deadline, request_id) where deadline is not null`,
    `create index on ${table} (closed_at desc, request_id desc) where closed_at is not null`,
    `create index on ${table} (erase_at) where erase_at is not null`,
  ],
  keyOf: (event) => (TYPES.has(event.type) ? (event.data as RemovalEvent['data']).requestId : null),
  on: {
    RemovalRequested: ({ data }) => ({
      request_id: data.requestId,
      reference: removalReference(data.requestId),
      requested_at: data.requestedAt,
      status: 'open',
      waits_since: data.requestedAt,
      deadline: removalDeadline(data.requestedAt),
      relation: data.relation,
      content_count: data.subjects.length,
      hides_at_once: data.hidesAtOnce,
      warned_h: 0,
      closed_at: null,
      erase_at: null,
    }),
    RemovalWarned: ({ data }, row) => row && { ...row, warned_h: data.after_h },
    RemovalWithdrawn: ({ meta }, row) => row && closed(row, 'withdrawn', meta.at),
    RemovalDecided: ({ data, meta }, row) => row && decided(row, data.outcome, meta.at),
    RemovalCompleted: ({ meta }, row) => row && closed(row, 'completed', meta.at),
    RemovalAppealed: ({ meta }, row) =>
      row && {
        ...row,
        status: 'appealed',
        waits_since: meta.at,
        deadline: removalDeadline(meta.at),
        warned_h: 0,
        erase_at: null,
      },
    RemovalAppealDecided: ({ data, meta }, row) =>
      row && decided(row, data.outcome === 'overturned' ? 'valid' : 'rejected', meta.at),
    RemovalDataErased: (_event, row) => row && { ...row, erase_at: null },
  },
});
