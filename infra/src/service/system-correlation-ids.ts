/**
 * The correlation ids of commands that no request causes and that belong to no object, such as those of regular work. A
 * client cannot choose them as ids of its requests, so its events are never shown as those of the system.
 */
export const SYSTEM_CORRELATION_IDS = {
  identityRound: 'identity-round',
  publishArticles: 'publish-articles',
  recoverRemovals: 'recover-removals',
} as const;

const RESERVED: ReadonlySet<string> = new Set(Object.values(SYSTEM_CORRELATION_IDS));

/** Returns true if only the system may use the correlation id. */
export function isSystemCorrelationId(id: string): boolean {
  return RESERVED.has(id);
}
