import { getRequestId, type CommandOrigin, type Principal } from '@alpenglow/infra';
import type { Response } from 'express';

/**
 * Returns the origin of a command: its actor, which is the account, and the id of the request. The caller may have no
 * session, for example when a password is reset.
 */
export function createAccountOrigin(accountId: string, res: Response): CommandOrigin {
  return { actor: { kind: 'account', accountId }, correlationId: getRequestId(res) };
}

/**
 * Returns the origin of a command: its actor, which is the account of the signed-in caller, and the id of the request.
 */
export function createOrigin({ account: { accountId } }: Principal, res: Response): CommandOrigin {
  return createAccountOrigin(accountId, res);
}

/**
 * Returns the origin of a command: its actor and the id of the request. The actor is the account, or the system actor
 * `visitor` if `accountId` is null.
 */
export function createVisitorOrigin(accountId: string | null, res: Response): CommandOrigin {
  return accountId === null
    ? { actor: { kind: 'system', name: 'visitor' }, correlationId: getRequestId(res) }
    : createAccountOrigin(accountId, res);
}
