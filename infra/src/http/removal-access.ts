import { DomainError, REMOVAL_ID } from '@alpenglow/domain';
import type { Request } from 'express';
import type { RemovalTokens } from '../security/removal-tokens.ts';

/**
 * Requires the token of a removal request in the header `X-Removal-Token`, which replaces a login. Throws
 * REMOVAL_NOT_FOUND without it. An unknown request causes the same error, so that a caller cannot find out which
 * requests exist.
 */
export function requireRemovalToken(req: Pick<Request, 'get'>, requestId: string, tokens: RemovalTokens): void {
  const token = req.get('x-removal-token');
  if (!REMOVAL_ID.test(requestId) || token === undefined || !tokens.matches(token, requestId))
    throw new DomainError('REMOVAL_NOT_FOUND');
}
