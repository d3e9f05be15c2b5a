/** Texts of the shell. Those of the specification stand here word for word (sections 2 and 4). */
import { MINIMUM_AGE_years, PRODUCT_NAME, type LiveType } from '@alpenglow/domain/contracts';

export const messages = {
  loading: `Loading ${PRODUCT_NAME}…`,
  applicationError: 'Unexpected Application Error!',
  reload: 'Reload the page',
  retry: 'Retry',
  remoteFailedTitle: 'Not available right now',
  remoteFailed: 'This part of the site could not be loaded',
  remoteFailedHint: 'Everything else works. Please try again in a moment.',
  remoteUnfit: 'This part of the site is being updated',
  remoteUnfitHint: 'It will be back in a moment. If it stays away, reload the page.',
  skipToContent: 'Skip to content',
  offline: 'You are offline. What you see may be out of date.',
  livePaused: 'Live updates are paused. Reconnecting…',

  ageTitle: 'For adults only',
  ageText: `${PRODUCT_NAME} lists services offered by adults to adults. You must be at least ${MINIMUM_AGE_years} years old, and of age where you are, to enter.`,
  ageEnter: 'I am 18+ — Enter',
  ageExit: 'Exit',
  guidelinesTitle: 'Community guidelines',
  guidelinesIntro: 'A few rules keep this a place where everyone is here by choice.',
  guidelines: [
    'Everyone here is an adult and acts of their own free will. Anything else is reported to the authorities.',
    'Treat each other with respect. A no is a no, at any moment.',
    'Show only pictures and contact details that are yours to show.',
    'Keep words and pictures decent. Nothing explicit, nothing illegal.',
    'If something seems wrong, report it. You need no account for that.',
  ],
  guidelinesAccept: 'Accept & Continue',
  guidelinesDecline: 'Decline',
  cookiesTitle: 'Cookies',
  cookiesText: 'We keep what the site needs to work on your device. With your consent we also count visits, without third parties.',
  cookiesEssential: 'Essential only',
  cookiesAll: 'Accept all',

  navigation: 'Main',
  menu: 'Menu',
  closeMenu: 'Close menu',
  home: 'Home',
  browse: 'Browse',
  blog: 'Blog',
  community: 'Community',
  adminPanel: 'Admin Panel',
  providerDashboard: 'Provider Dashboard',
  profile: 'Profile',
  logout: 'Logout',
  login: 'Login',
  signUp: 'Sign Up',

  footerNote: 'GDPR-compliant and Swiss-hosted',
  footerLinks: 'About this site',
  privacy: 'Privacy',
  terms: 'Terms',
  about: 'About',
  help: 'Get help',
  social: 'Follow us',
} as const;

export const LIVE_TOASTS: Readonly<Record<LiveType, string>> = {
  ad_created: 'New ad posted!',
  ad_updated: 'Ad updated!',
  ad_bumped: 'Ad bumped to top!',
  ad_deleted: 'Ad removed!',
};

/** Where 'Exit' and 'Decline' lead. */
export const SEARCH_ENGINE_URL = 'https://duckduckgo.com/';
export const SOCIAL_URL = 'https://mastodon.social/@alpenglow';
