import { createHmac, timingSafeEqual } from 'node:crypto';

/** The mails that an account unsubscribes from: about one thread, or about all if `threadId` is null. */
interface UnsubscribeScope {
  readonly accountId: string;
  readonly threadId: string | null;
}

/**
 * Creates and reads tokens with which the recipient of a mail unsubscribes from such mails. They allow nothing else.
 * They never expire, because a mail may be read years later.
 */
export type UnsubscribeTokens = ReturnType<typeof createUnsubscribeTokens>;

/** The text in a token that means all threads. */
const ALL_THREADS = 'all';
const TOKEN = /^([\w-]{1,64})\.([\w-]{1,64})\.([\w-]{43})$/u;

/** A token consists of account id, scope and an HMAC of both. The HMAC key is derived from `secret` (hex). */
export function createUnsubscribeTokens(secret: string) {
  // The null character distinguishes the input from e-mail addresses, so the key differs from every account id.
  const key = createHmac('sha256', Buffer.from(secret, 'hex')).update('unsubscribe\0').digest();
  const signatureOf = (accountId: string, scope: string) =>
    createHmac('sha256', key).update(`${accountId}.${scope}`).digest();
  return {
    issue({ accountId, threadId }: UnsubscribeScope): string {
      const scope = threadId ?? ALL_THREADS;
      return `${accountId}.${scope}.${signatureOf(accountId, scope).toString('base64url')}`;
    },
    /** Returns the account and thread of a token, or null if the token is invalid. */
    read(token: string): UnsubscribeScope | null {
      const [, accountId, scope, signature] = TOKEN.exec(token) ?? [];
      if (accountId === undefined || scope === undefined || signature === undefined) return null;
      const isValid = timingSafeEqual(Buffer.from(signature, 'base64url'), signatureOf(accountId, scope));
      return isValid ? { accountId, threadId: scope === ALL_THREADS ? null : scope } : null;
    },
  };
}
