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
