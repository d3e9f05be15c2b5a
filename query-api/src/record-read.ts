import { getRequestId, type Principal, type StaffRead } from '@alpenglow/infra';
import type { Response } from 'express';
import type { Dependencies } from './dependencies.ts';

/** Records that a member of staff has read data of people in this request. */
export function recordRead(
  { staffReads }: Dependencies<'staffReads'>,
  res: Response,
  { account: { accountId: staffId } }: { readonly account: Pick<Principal['account'], 'accountId'> },
  what: string,
  { subjectId, people }: Pick<StaffRead, 'subjectId' | 'people'>,
): Promise<void> {
  return staffReads.record({ staffId, what, subjectId, people, requestId: getRequestId(res) });
}
