import { createSigner } from './signer.ts';

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
const TOKEN = /^([\w-]{1,64})\.([\w-]{1,64})\.([\w-]+)$/u;

/**
 * Creates and reads unsubscribe tokens. A token consists of the account id, the thread id (or `all`) and a
 * signature of both ids.
 */
export function createUnsubscribeTokens(secrets: string) {
  const signer = createSigner(secrets, 'unsubscribe');
  return {
    issue({ accountId, threadId }: UnsubscribeScope): string {
      const scope = threadId ?? ALL_THREADS;
      const ids = `${accountId}.${scope}`;
      return `${ids}.${signer.sign(ids)}`;
    },
    /** Returns the account and the thread of an unsubscribe token, or null if the token is invalid. */
    read(token: string): UnsubscribeScope | null {
      const [, accountId, scope, signature] = TOKEN.exec(token) ?? [];
      if (accountId === undefined || scope === undefined || signature === undefined) return null;
      const isValid = signer.isValid(`${accountId}.${scope}`, signature);
      return isValid ? { accountId, threadId: scope === ALL_THREADS ? null : scope } : null;
    },
  };
}
