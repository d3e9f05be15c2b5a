import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The mails that an account unsubscribes from: the mails about one thread, or about all threads if `threadId` is null.
 */
interface UnsubscribeScope {
  readonly accountId: string;
  readonly threadId: string | null;
}

/**
 * Creates and reads the tokens in unsubscribe links of mails. A token allows nothing except unsubscribing. Tokens never
 * expire, because a mail may be read years later.
 */
export type UnsubscribeTokens = ReturnType<typeof createUnsubscribeTokens>;

/** The text in a token that identifies the mails about all threads. */
const ALL_THREADS = 'all';
const TOKEN = /^([\w-]{1,64})\.([\w-]{1,64})\.([\w-]{43})$/u;

/**
 * Creates and reads unsubscribe tokens. A token consists of the account id, the thread id (or `all`) and an HMAC of
 * both ids. The HMAC key is derived from `secret` (hex).
 */
export function createUnsubscribeTokens(secret: string) {
  // No e-mail address contains a null character, so this key differs from every account id, which is derived from the
  // same secret.
  const key = createHmac('sha256', Buffer.from(secret, 'hex')).update('unsubscribe\0').digest();
  const signatureOf = (accountId: string, scope: string) =>
    createHmac('sha256', key).update(`${accountId}.${scope}`).digest();
  return {
    issue({ accountId, threadId }: UnsubscribeScope): string {
      const scope = threadId ?? ALL_THREADS;
      return `${accountId}.${scope}.${signatureOf(accountId, scope).toString('base64url')}`;
    },
    /** Returns the account and the thread of an unsubscribe token, or null if the token is invalid. */
    read(token: string): UnsubscribeScope | null {
      const [, accountId, scope, signature] = TOKEN.exec(token) ?? [];
      if (accountId === undefined || scope === undefined || signature === undefined) return null;
      const isValid = timingSafeEqual(Buffer.from(signature, 'base64url'), signatureOf(accountId, scope));
      return isValid ? { accountId, threadId: scope === ALL_THREADS ? null : scope } : null;
    },
  };
}
