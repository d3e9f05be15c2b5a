import { DomainError, THREAD_ID, type Member } from '@alpenglow/domain';
import {
  requestIdOf,
  type Authentication,
  type CommandHandler,
  type CommandOrigin,
  type CommunityDirectory,
  type Logger,
  type Principal,
} from '@alpenglow/infra';
import type { Request, Response } from 'express';

/** What the calls of the community need, and have of their requests. */
export interface CommunityDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly community: CommunityDirectory;
  readonly log: Logger;
}

/** The thread a request's path names. Throws THREAD_NOT_FOUND for what cannot be a thread's id. */
export function threadIdOf(req: Request): string {
  const id = req.params['id'];
  if (typeof id !== 'string' || !THREAD_ID.test(id)) throw new DomainError('THREAD_NOT_FOUND');
  return id;
}

const POST_NUMBER = /^\d{1,7}$/u;

/** The number of the post a request's path names. Throws POST_NOT_FOUND for what cannot be one. */
export function postNumberOf(req: Request): number {
  const number = req.params['number'];
  if (typeof number !== 'string' || !POST_NUMBER.test(number)) throw new DomainError('POST_NOT_FOUND');
  return Number(number);
}

/** Who writes, as the rules of the community know them: admins moderate. */
export function memberOf({ account, user }: Principal): Member {
  return {
    accountId: account.accountId,
    emailVerified: user.isEmailVerified,
    isModerator: user.isModerator,
    registeredAt: account.registeredAt,
  };
}

export function originOf({ account: { accountId } }: Principal, res: Response): CommandOrigin {
  return { actor: { kind: 'account', accountId }, correlationId: requestIdOf(res) };
}
