import {
  removalDeadline,
  removalErasureDue,
  removalEvents,
  removalReference,
  type RemovalEvent,
} from '@alpenglow/domain';
import { REMOVAL_REQUESTS, type JsonRowOf } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export type RemovalRow = JsonRowOf<typeof REMOVAL_REQUESTS>;

const NOT_WAITING = { waits_since: null, deadline: null, warned_h: 0 } as const;

const TYPES: ReadonlySet<string> = new Set(removalEvents.map(({ type }) => type));

/** Returns the row of a closed request. `at` is the time of the event in ISO 8601. */
const closed = (row: RemovalRow, status: RemovalRow['status'], at: string): RemovalRow => ({
  ...row,
  ...NOT_WAITING,
  status,
  closed_at: at,
  erase_at: removalErasureDue(at, status === 'withdrawn'),
});

/** Returns the row after a decision. A valid request waits until everything is removed. */
const decided = (row: RemovalRow, outcome: 'valid' | 'rejected', at: string): RemovalRow =>
  outcome === 'valid' ? { ...row, status: 'valid' } : closed(row, 'rejected', at);

export const removalRequests = defineProjection(REMOVAL_REQUESTS)({
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
