/** Password of the demo accounts. It is public, so any visitor can sign in with it. */
export const DEMO_PASSWORD = 'alpenglow-demo';

/**
 * The e-mail addresses of the demo accounts. They exist only with the setting `DEMO`. Any person can sign in to these
 * accounts, as the README explains.
 */
export const DEMO_EMAILS = {
  client: 'client@demo.alpenglow.example',
  provider: 'provider@demo.alpenglow.example',
  admin: 'admin@demo.alpenglow.example',
} as const;
