import type { StaffReadOperation } from '@alpenglow/domain/api';
import { getRequestId, hashPeople, type Principal, type StaffRead } from '@alpenglow/infra';
import type { Response } from 'express';
import type { Dependencies } from './dependencies.ts';

/**
 * Records in the log of staff reads that a member of staff has read personal data with this request. Open pages repeat
 * their requests, so repeated reads are one entry. Pass `isRepeatedByPage: false` for a file, which only a member of
 * staff can request.
 */
export function recordRead(
  { staffReads }: Dependencies<'staffReads'>,
  res: Response,
  { account: { accountId: staffId } }: { readonly account: Pick<Principal['account'], 'accountId'> },
  what: StaffReadOperation,
  {
    peopleHash = null,
    ...read
  }: Pick<StaffRead, 'subjectId' | 'people'> &
    Partial<Pick<StaffRead, 'mediaId' | 'isRepeatedByPage'>> & { readonly peopleHash?: string | null },
): Promise<void> {
  return staffReads.record({
    mediaId: null,
    isRepeatedByPage: true,
    ...read,
    // A person can own several objects, e.g. posts. The address of the request shows which one was read.
    dataHash: hashPeople([res.req.originalUrl, peopleHash]),
    staffId,
    what,
    requestId: getRequestId(res),
  });
}
