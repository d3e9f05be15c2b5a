import {
  createRandomId,
  getRequestId,
  getRequestIds,
  getTraceparent,
  type CommandOrigin,
  type Principal,
} from '@alpenglow/infra';
import type { Actor } from '@alpenglow/domain';
import type { Response } from 'express';

function createRequestOrigin(actor: Actor, res: Response): CommandOrigin {
  const ids = getRequestIds(res);
  const traceparent = getTraceparent(res);
  return {
    actor,
    correlationId: getRequestId(res),
    ...(ids && { ids }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

/**
 * Returns the origin of a command: its actor, which is the account, and the id of the request. The caller may have no
 * session, for example when a password is reset.
 */
export function createAccountOrigin(accountId: string, res: Response): CommandOrigin {
  return createRequestOrigin({ kind: 'account', accountId }, res);
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
  return createRequestOrigin(
    accountId === null ? { kind: 'system', name: 'visitor' } : { kind: 'account', accountId },
    res,
  );
}

/**
 * Returns the id of an object that a request creates, e.g. of a report. Another attempt of a request with an
 * `Idempotency-Key` gets the same id.
 */
export function createObjectId({ ids }: CommandOrigin): string {
  return ids?.createId() ?? createRandomId();
}
