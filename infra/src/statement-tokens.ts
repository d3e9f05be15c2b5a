import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Tokens in mails to people whose account a decision has closed, so that they read its statement of reasons and appeal without a session (design, trust and
 * privacy, "Decisions that can be shown"). They are good for nothing else, and last as long as there is something to read.
 */
export interface StatementTokens {
  issue(decisionId: string): string;
  /** Whether a token is the one of this decision. */
  isOf(token: string, decisionId: string): boolean;
}

const TOKEN = /^[\w-]{43}$/u;

/** A token is an HMAC of the decision's id, under a key of its own that follows from `secret` (hex). */
export function createStatementTokens(secret: string): StatementTokens {
  // No address contains the null character, so no account id is made of the same.
  const key = createHmac('sha256', Buffer.from(secret, 'hex')).update('statement\0').digest();
  const sealOf = (decisionId: string) => createHmac('sha256', key).update(decisionId).digest();
  return {
    issue: (decisionId) => sealOf(decisionId).toString('base64url'),
    isOf: (token, decisionId) =>
      TOKEN.test(token) && timingSafeEqual(Buffer.from(token, 'base64url'), sealOf(decisionId)),
  };
}
