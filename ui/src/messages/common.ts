/** Texts every package uses. */
export const commonMessages = {
  retry: 'Retry',
  close: 'Close',
  cancel: 'Cancel',
  loading: 'Loading…',
  pageFailed: 'This page could not be loaded',
  browse: 'Browse ads',
  home: 'Home',
  login: 'Login',
  signUp: 'Sign Up',
  postAd: 'Post Ad',
} as const;

/** Where visitors write to. */
export const CONTACT_EMAIL = 'contact@alpenglow.example';
