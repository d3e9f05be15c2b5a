import type { OperationId } from './operations.ts';

/**
 * The operations that record reads of personal data by staff (T-18). The admin panel has a name for each of them. Older
 * entries of the log may contain other operations.
 */
export const STAFF_READ_OPERATIONS = [
  'exportDataOf',
  'exportRemoval',
  'getAd',
  'getAdAsOf',
  'getCase',
  'getIdentityFile',
  'getMediaAccess',
  'getPostHistory',
  'getRemoval',
  'getRequest',
  'getThreadAsOf',
  'getUser',
  'getUserAsOf',
  'listAdHistory',
  'listAdsAsAdmin',
  'listCases',
  'listIdentityChecks',
  'listLogEntries',
  'listParkedEvents',
  'listRebuildDifferences',
  'listThreadHistory',
  'listUserHistory',
  'listUsers',
  'listVerificationCodes',
  'tryHidingRule',
] as const satisfies readonly OperationId[];

export type StaffReadOperation = (typeof STAFF_READ_OPERATIONS)[number];
