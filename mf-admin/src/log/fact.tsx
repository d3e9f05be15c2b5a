import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { useLocale } from '@alpenglow/ui';
import { formatFieldName, formatValue } from '../history/labels.ts';
import { AccountName } from '../panel/account-name.tsx';
import { translateOr, useText } from '../text.ts';

/** The fields of events that contain the id of an account. */
const ACCOUNTS: readonly string[] = ['accountId', 'ownerId', 'moderatorId', 'reporterId', 'reviewerId', 'subjectId'];

/** The fields of events that contain the id of something with its own page in the panel, and the paths of the pages. */
const PAGES: Readonly<Record<string, string>> = {
  adId: '/admin/ads/',
  threadId: '/admin/threads/',
  caseId: '/admin/moderation/cases/',
  slug: '/admin/blog/',
};

/** Other fields that are shown in words. Their names have the ids `field.{name}`. */
const WORDS: readonly string[] = [
  'by',
  'changeBy',
  'city',
  'country',
  'facts',
  'isAutomated',
  'isFeatured',
  'isHidden',
  'number',
  'openedAt',
  'outcome',
  'priority',
  'rating',
  'reason',
  'role',
  'round',
  'rule',
  'state',
  'status',
  'title',
  'wasHidden',
];

/** Checks whether a field of an event can be shown in words. Other fields are technical. */
export function isReadable(name: string, value: unknown): boolean {
  if (value === null || typeof value === 'object') return false;
  return ACCOUNTS.includes(name) || name in PAGES || WORDS.includes(name);
}

interface FactProps {
  readonly name: string;
  readonly value: unknown;
  readonly names: Readonly<Record<string, string>>;
}

/** A field of an event in words. Accounts and content are links. */
export function Fact({ name, value, names }: FactProps): ReactNode {
  const t = useText();
  const locale = useLocale();
  const words = () => {
    const text = typeof value === 'string' ? value : null;
    if (text === null) return formatValue(t, locale, value as number | boolean);
    for (const group of ['moderation.reason', 'moderation.outcome', 'moderation.rule', 'value']) {
      const translated = translateOr(t, `${group}.${text}`, '');
      if (translated !== '') return translated;
    }
    return formatValue(t, locale, text);
  };
  const path = PAGES[name];
  return (
    <>
      <dt>{formatFieldName(t, name)}</dt>
      <dd dir="auto">
        {ACCOUNTS.includes(name) ? (
          <AccountName id={String(value)} names={names} />
        ) : path !== undefined ? (
          <Link to={`${path}${encodeURIComponent(String(value))}`}>{t('log.open')}</Link>
        ) : (
          words()
        )}
      </dd>
    </>
  );
}
