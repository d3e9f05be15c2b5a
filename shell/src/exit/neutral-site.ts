/** The site to which visitors leave. It does not show where they were. The server imports this module too. */
export const NEUTRAL_SITE = 'https://duckduckgo.com/';
