/** The social networks and sites that an ad may link to. */
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

/** The domains of each network, to which the links of its field must lead. */
export const SOCIAL_NETWORK_DOMAINS: Readonly<Record<Exclude<SocialNetwork, 'website'>, readonly string[]>> = {
  instagram: ['instagram.com', 'instagr.am', 'ig.me'],
  twitter: ['twitter.com', 'x.com'],
  facebook: ['facebook.com', 'fb.com', 'fb.me', 'm.me'],
  snapchat: ['snapchat.com'],
  tiktok: ['tiktok.com'],
  onlyfans: ['onlyfans.com'],
};

/** The display names of the networks. Front ends translate only the name `Website`. */
export const SOCIAL_NETWORK_NAMES: Readonly<Record<SocialNetwork, string>> = {
  instagram: 'Instagram',
  twitter: 'Twitter',
  facebook: 'Facebook',
  snapchat: 'Snapchat',
  tiktok: 'TikTok',
  onlyfans: 'OnlyFans',
  website: 'Website',
};
