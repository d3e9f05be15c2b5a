import { createSigner } from './signer.ts';

/**
 * Creates and checks the tokens in mails to people whose account was closed by a moderation decision. The token
 * replaces a session. It only allows reading the statement of reasons and appealing, as long as the statement
 * is available.
 */
export type StatementTokens = ReturnType<typeof createStatementTokens>;

/** Creates and checks tokens about moderation decisions. A token is a signature of the decision's id. */
export function createStatementTokens(secrets: string) {
  const signer = createSigner(secrets, 'statement');
  return {
    issue: signer.sign,
    /** Returns true if `token` was issued for this decision. */
    matches: (token: string, decisionId: string): boolean => signer.isValid(decisionId, token),
  };
}
