/** The part of the browser API for Trusted Types that this module uses. TypeScript does not declare it. */
interface TrustedTypesApi {
  createPolicy(
    name: string,
    rules: {
      readonly createHTML?: (text: string) => string;
      readonly createScriptURL?: (text: string) => string;
    },
  ): { createHTML(text: string): string; createScriptURL(text: string): string };
}

const api = (globalThis as { readonly trustedTypes?: TrustedTypesApi }).trustedTypes;

/**
 * Creates a function that marks texts as safe HTML or safe URLs of scripts. The content security policy requires this
 * for every text that becomes HTML or the URL of a script, and lists the allowed names of policies
 * (shell/server/security-headers.ts, decision 0065). `check` returns the safe text, or throws. In browsers without
 * Trusted Types, the function only calls `check`.
 *
 * The browser creates an object that it accepts instead of a string, so the type of the result is `string`.
 */
export function createTrustedText(
  name: 'alpenglow-html' | 'alpenglow-remotes' | 'alpenglow-worker',
  kind: 'createHTML' | 'createScriptURL',
  check: (text: string) => string,
): (text: string) => string {
  const policy = api?.createPolicy(name, { [kind]: check });
  return (text) => policy?.[kind](text) ?? check(text);
}
