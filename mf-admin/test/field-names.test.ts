import { SOCIAL_NETWORKS } from '@alpenglow/domain';
import { expect, test } from 'vitest';
import { formatFieldName, formatPlainFieldName } from '../src/history/labels.ts';
import de from '../src/locales/de.json';
import fr from '../src/locales/fr.json';

type T = Parameters<typeof formatFieldName>[0];
const toT = (texts: Readonly<Record<string, string>>) => ((id: string) => texts[id]) as T;

test('a social network has its own name in cases and histories', () => {
  expect(SOCIAL_NETWORKS.map((network) => formatPlainFieldName(toT(de), network))).toEqual([
    'Instagram',
    'Twitter',
    'Facebook',
    'Snapchat',
    'TikTok',
    'OnlyFans',
    'Website',
  ]);
  expect(formatPlainFieldName(toT(fr), 'website')).toBe('Site web');
  expect(formatFieldName(toT(fr), 'socialMedia.instagram')).toBe('Réseaux sociaux · Instagram');
});
