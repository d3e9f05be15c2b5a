import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whose mails end, and which: those of one thread, or with null all of them. */
export interface UnsubscribeScope {
  readonly accountId: string;
  readonly threadId: string | null;
}

/** Tokens in mails that end mails like them. They are good for nothing else, and never expire: a mail may be read years later. */
export interface UnsubscribeTokens {
  issue(scope: UnsubscribeScope): string;
  /** What a token stands for; null when it is none of ours. */
  read(token: string): UnsubscribeScope | null;
}

/** Where the mails of all threads are meant. */
const ALL = 'all';
const TOKEN = /^([\w-]{1,64})\.([\w-]{1,64})\.([\w-]{43})$/u;

/** A token is account, scope and an HMAC of both, under a key of its own that follows from `secret` (hex). */
export function createUnsubscribeTokens(secret: string): UnsubscribeTokens {
  // No address contains the null character, so no account id is made of the same.
  const key = createHmac('sha256', Buffer.from(secret, 'hex')).update('unsubscribe\0').digest();
  const sealOf = (accountId: string, scope: string) =>
    createHmac('sha256', key).update(`${accountId}.${scope}`).digest();
  return {
    issue({ accountId, threadId }) {
      const scope = threadId ?? ALL;
      return `${accountId}.${scope}.${sealOf(accountId, scope).toString('base64url')}`;
    },
    read(token) {
      const [, accountId, scope, seal] = TOKEN.exec(token) ?? [];
      if (accountId === undefined || scope === undefined || seal === undefined) return null;
      const isOurs = timingSafeEqual(Buffer.from(seal, 'base64url'), sealOf(accountId, scope));
      return isOurs ? { accountId, threadId: scope === ALL ? null : scope } : null;
    },
  };
}
