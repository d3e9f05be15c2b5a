import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Creates and checks the tokens in mails to people whose account was closed by a moderation decision. The token
 * replaces a session. It only allows reading the statement of reasons and appealing, as long as the statement
 * is available.
 */
export type StatementTokens = ReturnType<typeof createStatementTokens>;

const TOKEN = /^[\w-]{43}$/u;

/**
 * Creates and checks tokens about moderation decisions. A token is an HMAC of the decision's id. The HMAC key is
 * derived from `secret` (hex).
 */
export function createStatementTokens(secret: string) {
  // No e-mail address contains a null character, so this key differs from every account id, which is derived from the
  // same secret.
  const key = createHmac('sha256', Buffer.from(secret, 'hex')).update('statement\0').digest();
  const signatureOf = (decisionId: string) => createHmac('sha256', key).update(decisionId).digest();
  return {
    issue: (decisionId: string): string => signatureOf(decisionId).toString('base64url'),
    /** Returns true if `token` was issued for this decision. */
    matches: (token: string, decisionId: string): boolean =>
      TOKEN.test(token) && timingSafeEqual(Buffer.from(token, 'base64url'), signatureOf(decisionId)),
  };
}
