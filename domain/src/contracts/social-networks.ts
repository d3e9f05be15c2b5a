/** Where an ad may link to. Specification, section 3. */
export const SOCIAL_NETWORKS = [
  'instagram',
  'twitter',
  'facebook',
  'snapchat',
  'tiktok',
  'onlyfans',
  'website',
] as const;
export type SocialNetwork = (typeof SOCIAL_NETWORKS)[number];
