import type { StaffReadOperation } from '@alpenglow/domain/api';
import { getRequestId, type Principal, type StaffRead } from '@alpenglow/infra';
import type { Response } from 'express';
import type { Dependencies } from './dependencies.ts';

/**
 * Records in the log of staff reads that a member of staff has read personal data with this request. Pages repeat their
 * requests, so repeated reads are one entry. Pass `isRepeatedByPage: false` for a file that a person requests.
 */
export function recordRead(
  { staffReads }: Dependencies<'staffReads'>,
  res: Response,
  { account: { accountId: staffId } }: { readonly account: Pick<Principal['account'], 'accountId'> },
  what: StaffReadOperation,
  read: Pick<StaffRead, 'subjectId' | 'people'> &
    Partial<Pick<StaffRead, 'mediaId' | 'peopleHash' | 'isRepeatedByPage'>>,
): Promise<void> {
  return staffReads.record({
    mediaId: null,
    isRepeatedByPage: true,
    ...read,
    staffId,
    what,
    requestId: getRequestId(res),
  });
}
