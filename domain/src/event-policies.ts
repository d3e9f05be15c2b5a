/**
 * Settings that several event types share. They define which events are in data exports and in the moderation log, and
 * which account's key encrypts personal fields.
 */

/**
 * Settings for events that are in the account's data export, but not in the moderation log. The events contain no
 * personal or secret fields.
 */
export const ownRecord = {
  personalFields: {},
  secretFields: [],
  moderationLog: 'never',
  disclosedTo: 'subject',
} as const;

/**
 * Settings for events that are in the moderation log, but in no data export. The events contain no personal or secret
 * fields.
 */
export const logged = { ...ownRecord, moderationLog: 'always', disclosedTo: 'nobody' } as const;

/**
 * Settings for events that are in the moderation log and in the account's data export. The events contain no personal
 * or secret fields.
 */
export const loggedAndDisclosed = { ...ownRecord, moderationLog: 'always' } as const;

/**
 * Settings for events that are neither in the moderation log nor in a data export. The events contain no personal or
 * secret fields.
 */
export const internal = { ...ownRecord, disclosedTo: 'nobody' } as const;

const getSubjectId = (data: { accountId: string }) => data.accountId;

/**
 * Settings for events whose personal fields are encrypted with the key of the account `accountId`. The events are not
 * in the moderation log.
 */
export const sealed = { secretFields: [], moderationLog: 'never', disclosedTo: 'subject', getSubjectId } as const;

/**
 * Settings for events whose personal fields are encrypted with the key of the account `accountId`. The events are in
 * the moderation log.
 */
export const sealedAndLogged = { ...sealed, moderationLog: 'always' } as const;

/**
 * Settings for events in the moderation log that contain the reason of an admin, or null. The reason is encrypted with
 * the key of the affected account, so an erasure of this account also removes the reason.
 */
export const loggedWithReason = { ...sealedAndLogged, personalFields: { reason: null } } as const;
