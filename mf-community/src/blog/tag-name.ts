import { useText } from '../text.ts';

/** Tags that have a name in every language; any other is shown as it is written. */
const KNOWN = ['safety', 'etiquette', 'verification', 'privacy', 'cities', 'providers', 'clients'] as const;

/** What tags are called in the visitor's language. */
export function useTagName(): (tag: string) => string {
  const t = useText();
  return (tag) => {
    const known = KNOWN.find((one) => one === tag);
    return known === undefined ? tag.replaceAll('-', ' ') : t(`blog.tags.${known}`);
  };
}
