import { getRequestId, type Principal, type StaffRead } from '@alpenglow/infra';
import type { Response } from 'express';
import type { Dependencies } from './dependencies.ts';

/** Records in the log of staff reads that a member of staff has read personal data with this request. */
export function recordRead(
  { staffReads }: Dependencies<'staffReads'>,
  res: Response,
  { account: { accountId: staffId } }: { readonly account: Pick<Principal['account'], 'accountId'> },
  what: string,
  { subjectId, people, mediaId = null }: Pick<StaffRead, 'subjectId' | 'people'> & Partial<Pick<StaffRead, 'mediaId'>>,
): Promise<void> {
  return staffReads.record({ staffId, what, subjectId, people, mediaId, requestId: getRequestId(res) });
}
