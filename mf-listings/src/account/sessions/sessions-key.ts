/** The start of the keys of the query for the sessions. Two-step login and a new password end other sessions. */
export const SESSIONS_KEY = ['sessions'] as const;
