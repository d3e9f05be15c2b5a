import type { SocialMedia, SocialNetwork } from '@alpenglow/domain/contracts';

/** Where a handle lives on each network. */
const PROFILE_ADDRESSES: Readonly<Record<Exclude<SocialNetwork, 'website'>, string>> = {
  instagram: 'https://www.instagram.com/',
  twitter: 'https://x.com/',
  facebook: 'https://www.facebook.com/',
  snapchat: 'https://www.snapchat.com/add/',
  tiktok: 'https://www.tiktok.com/@',
  onlyfans: 'https://onlyfans.com/',
};

export const NETWORK_NAMES: Readonly<Record<SocialNetwork, string>> = {
  instagram: 'Instagram',
  twitter: 'Twitter',
  facebook: 'Facebook',
  snapchat: 'Snapchat',
  tiktok: 'TikTok',
  onlyfans: 'OnlyFans',
  website: 'Website',
};

export interface ContactLink {
  readonly network: SocialNetwork;
  /** Handle or host, for people. */
  readonly label: string;
  readonly href: string;
}

/** The links an owner gave. A value that is neither a handle nor an http(s) address gives no link. */
export function contactLinks(socialMedia: SocialMedia): readonly ContactLink[] {
  const links: ContactLink[] = [];
  for (const network of Object.keys(NETWORK_NAMES) as SocialNetwork[]) {
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

/** `tel:` takes digits and a leading plus. */
export function telephoneHref(phone: string): string {
  return `tel:${phone.replaceAll(/[^\d+]/gu, '')}`;
}
