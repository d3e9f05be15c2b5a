import type { ResponseOf } from '@alpenglow/domain/contracts';

type StaffRead = ResponseOf<'listStaffReads'>['data'][number];

/** Whose or which data a member of staff has read. */
export type ReadSubject =
  | { readonly kind: 'list' }
  | { readonly kind: 'account' | 'case' | 'removal' | 'request' | 'part'; readonly id: string };

/** Matches the id of a moderation case. It is the subject of a read if the content of the case has no owner. */
const CASE_ID = /^(?:ad|media|account|thread|post|article)-/u;
/** The beginning of the subject if a request concerned no account. An account and a request can have the same id. */
const REQUEST = 'request:';

/**
 * Returns the subject of a read. Not every subject is an account: people without an account ask for the removal of
 * pictures, and the events that a part of the system has set aside belong to several people.
 */
export function findReadSubject({ what, subjectId: id }: Pick<StaffRead, 'what' | 'subjectId'>): ReadSubject {
  if (id === null) return { kind: 'list' };
  if (CASE_ID.test(id)) return { kind: 'case', id };
  if (id.startsWith(REQUEST)) return { kind: 'request', id: id.slice(REQUEST.length) };
  switch (what) {
    case 'getRemoval':
    case 'exportRemoval':
      return { kind: 'removal', id };
    case 'listParkedEvents':
    case 'listRebuildDifferences':
      return { kind: 'part', id };
    default:
      return { kind: 'account', id };
  }
}
