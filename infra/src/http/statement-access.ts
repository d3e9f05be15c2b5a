import { DomainError } from '@alpenglow/domain';
import type { Request } from 'express';
import type { StatementTokens } from '../statement-tokens.ts';

/**
 * Whether a request about a decision comes with the token of a mail in `X-Statement-Token`, which then stands in place of any session. Throws DECISION_NOT_FOUND
 * where it is not the one of this decision, as where there is no such decision: neither can be told from the other.
 */
export function hasStatementToken(req: Request, decisionId: string, tokens: StatementTokens): boolean {
  const token = req.get('x-statement-token');
  if (token === undefined) return false;
  if (!tokens.isOf(token, decisionId)) throw new DomainError('DECISION_NOT_FOUND');
  return true;
}
