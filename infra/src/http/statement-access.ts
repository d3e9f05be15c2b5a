import { DomainError } from '@alpenglow/domain';
import type { Request } from 'express';
import type { StatementTokens } from '../security/statement-tokens.ts';

/**
 * Returns true if a request about a moderation decision contains the token from the mail about this decision, in the
 * header `X-Statement-Token`. The token replaces a session. Throws DECISION_NOT_FOUND if the token belongs to another
 * decision. An unknown decision causes the same error, so that a caller cannot find out which decisions exist.
 */
export function hasStatementToken(req: Request, decisionId: string, tokens: StatementTokens): boolean {
  const token = req.get('x-statement-token');
  if (token === undefined) return false;
  if (!tokens.matches(token, decisionId)) throw new DomainError('DECISION_NOT_FOUND');
  return true;
}
