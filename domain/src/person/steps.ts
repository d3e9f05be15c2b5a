/**
 * What an erasure does, in this order (decision 0044). Each step may be done twice and does no more than once, so that an erasure that broke
 * off anywhere is gone on with to the same end.
 */
export const ERASURE_STEPS = [
  /** What is written about them from here on is sealed with another key, which stays: whoever signs up with the address next is somebody new. */
  'keys_retired',
  /** The account is closed, its ad taken down, its posts deleted. */
  'account_closed',
  /** No photo, video or evidence of theirs is in the blob store. */
  'blobs_removed',
  /** Nobody can open what is sealed about them in the history. */
  'keys_destroyed',
  /** The rows that were made of it are what a rebuild would make of it now. */
  'read_models_purged',
  /** Jobs, mails, kept answers and sessions are gone. */
  'traces_removed',
] as const;

export type ErasureStep = (typeof ERASURE_STEPS)[number];
