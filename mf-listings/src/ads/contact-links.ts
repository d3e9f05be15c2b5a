import { SOCIAL_NETWORKS, type SocialMedia, type SocialNetwork } from '@alpenglow/domain/contracts';

const PROFILE_ADDRESSES: Readonly<Record<Exclude<SocialNetwork, 'website'>, string>> = {
  instagram: 'https://www.instagram.com/',
  twitter: 'https://x.com/',
  facebook: 'https://www.facebook.com/',
  snapchat: 'https://www.snapchat.com/add/',
  tiktok: 'https://www.tiktok.com/@',
  onlyfans: 'https://onlyfans.com/',
};

export interface ContactLink {
  readonly network: SocialNetwork;
  readonly label: string;
  readonly href: string;
}

/**
 * Returns the links to the social media profiles of an ad's owner. Ignores values that are neither a user name nor an
 * http(s) URL.
 */
export function createContactLinks(socialMedia: SocialMedia): readonly ContactLink[] {
  const links: ContactLink[] = [];
  for (const network of SOCIAL_NETWORKS) {
    const value = socialMedia[network];
    if (value === null || value === '') continue;
    const address = webAddress(value);
    if (address) {
      links.push({
        network,
        label: address.host.replace(/^www\./u, '') + address.pathname.replace(/\/$/u, ''),
        href: address.href,
      });
    } else if (network !== 'website' && /^@?[\w.-]+$/u.test(value)) {
      const handle = value.replace(/^@/u, '');
      links.push({ network, label: `@${handle}`, href: PROFILE_ADDRESSES[network] + encodeURIComponent(handle) });
    }
  }
  return links;
}

function webAddress(value: string): URL | null {
  if (!/^https?:\/\//iu.test(value)) return null;
  try {
    return new URL(value);
  } catch {
    return null;
  }
}

/** Returns the `tel:` URL of a phone number. Removes all characters except digits and plus signs. */
export function toTelephoneUrl(phone: string): string {
  return `tel:${phone.replaceAll(/[^\d+]/gu, '')}`;
}
