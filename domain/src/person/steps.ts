/**
 * The steps in which all personal data of an account is erased, in order (decision 0044). Each step is idempotent, so
 * that an interrupted erasure can be resumed at any point.
 */
export const ERASURE_STEPS = [
  /**
   * From this step on, new data of the account is encrypted with another key, which the erasure does not destroy. A
   * later sign-up with the same e-mail address therefore counts as a new person.
   */
  'keys_retired',
  /** The account is closed. Its ad and its posts are deleted. */
  'account_closed',
  /** The blob store contains no photo, video or evidence of the person. */
  'blobs_removed',
  /** The keys are destroyed, so the person's encrypted data in the event log can no longer be decrypted. */
  'keys_destroyed',
  /**
   * The person's data is removed from the read models. A rebuild of the read models from the event log would give the
   * same rows.
   */
  'read_models_purged',
  /** Jobs, mails, stored responses and sessions of the person are removed. */
  'traces_removed',
] as const;

export type ErasureStep = (typeof ERASURE_STEPS)[number];
