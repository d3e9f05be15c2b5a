import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Creates and checks tokens for mails to people whose account a decision has closed. The token replaces a session. It
 * only allows reading the statement of reasons and appealing, as long as the statement is available.
 */
export type StatementTokens = ReturnType<typeof createStatementTokens>;

const TOKEN = /^[\w-]{43}$/u;

/** Creates and checks tokens. A token is an HMAC of the decision's id. The HMAC key is derived from `secret` (hex). */
export function createStatementTokens(secret: string) {
  // The null character distinguishes the input from e-mail addresses, so the key differs from every account id.
  const key = createHmac('sha256', Buffer.from(secret, 'hex')).update('statement\0').digest();
  const signatureOf = (decisionId: string) => createHmac('sha256', key).update(decisionId).digest();
  return {
    issue: (decisionId: string): string => signatureOf(decisionId).toString('base64url'),
    /** Returns true if `token` belongs to this decision. */
    matches: (token: string, decisionId: string): boolean =>
      TOKEN.test(token) && timingSafeEqual(Buffer.from(token, 'base64url'), signatureOf(decisionId)),
  };
}
