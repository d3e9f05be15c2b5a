/** Policies that several event types share. They decide about data exports, the moderation log and encryption. */

/**
 * For events in the account's data export, but not in the moderation log. They contain no personal or secret fields.
 */
export const ownRecord = {
  personalFields: {},
  secretFields: [],
  moderationLog: 'never',
  disclosedTo: 'subject',
} as const;

/** For events in the moderation log, but in no data export. They contain no personal or secret fields. */
export const logged = { ...ownRecord, moderationLog: 'always', disclosedTo: 'nobody' } as const;

/** For events in the moderation log and the account's data export. They contain no personal or secret fields. */
export const loggedAndDisclosed = { ...ownRecord, moderationLog: 'always' } as const;

/**
 * For events that are neither in the moderation log nor in a data export. They contain no personal or secret fields.
 */
export const internal = { ...ownRecord, disclosedTo: 'nobody' } as const;

const getSubjectId = (data: { accountId: string }) => data.accountId;

/** For events with fields that are sealed with the key of `accountId`. They are not in the moderation log. */
export const sealed = { secretFields: [], moderationLog: 'never', disclosedTo: 'subject', getSubjectId } as const;

/** For events with fields that are sealed with the key of `accountId`. They are in the moderation log. */
export const sealedAndLogged = { ...sealed, moderationLog: 'always' } as const;

/**
 * For events in the moderation log with the reason of an admin, or null. The reason is sealed with the key of the
 * affected account, so an erasure also removes it.
 */
export const loggedWithReason = { ...sealedAndLogged, personalFields: { reason: null } } as const;
