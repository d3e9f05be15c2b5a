import { DomainError } from '@alpenglow/domain';
import { requestIdOf, type CommandOrigin, type Principal } from '@alpenglow/infra';
import type { Request, Response } from 'express';

/** What the routes of admins and moderators read of a request. */

const USER_ID = /^[\w-]{1,64}$/u;

/** The user a request's path names. Throws USER_NOT_FOUND for what cannot be a user's id. */
export function userIdOf(req: Request): string {
  const id = req.params['id'];
  if (typeof id !== 'string' || !USER_ID.test(id)) throw new DomainError('USER_NOT_FOUND');
  return id;
}

/** Whoever of the staff asked is the actor of every event that follows. */
export function staffOrigin({ account: { accountId } }: Principal, res: Response): CommandOrigin {
  return { actor: { kind: 'account', accountId }, correlationId: requestIdOf(res) };
}
