import { createSigner } from './signer.ts';

/**
 * Creates and checks the tokens of the private pages of removal requests. A token replaces a login. It only
 * allows reading the request, adding a text, withdrawing the request and appealing.
 */
export type RemovalTokens = ReturnType<typeof createRemovalTokens>;

/** Creates and checks tokens of removal requests. A token is a signature of the id of the request. */
export function createRemovalTokens(secrets: string) {
  const signer = createSigner(secrets, 'removal');
  return {
    /**
     * Returns the address of the private page of a request. The token is in the fragment, which browsers send to no
     * server, so no log contains it.
     * @param site the base URL of the site, without a trailing slash
     */
    createStatusUrl: (site: string, requestId: string): string =>
      `${site}/removal/${requestId}#${signer.sign(requestId)}`,
    /** Returns true if `token` was issued for this request. */
    matches: (token: string, requestId: string): boolean => signer.isValid(requestId, token),
  };
}
