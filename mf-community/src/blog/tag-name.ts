import { useText } from '../text.ts';

/** Tags whose names are translated. Other tags are displayed unchanged. */
const KNOWN = ['safety', 'etiquette', 'verification', 'privacy', 'cities', 'providers', 'clients'] as const;

/** Returns a function that returns the name of a tag in the visitor's language. */
export function useTagName(): (tag: string) => string {
  const t = useText();
  return (tag) => {
    const known = KNOWN.find((name) => name === tag);
    return known === undefined ? tag.replaceAll('-', ' ') : t(`blog.tags.${known}`);
  };
}
