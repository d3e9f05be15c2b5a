import { useQueries } from '@tanstack/react-query';
import { Button, EmptyState, LinkButton, useApi } from '@alpenglow/ui';
import { useText, type t } from '../text.ts';
import { choiceLabel } from './chips.tsx';
import { countQuery } from './count-query.ts';
import { apiFilterOf, choicesOf, cleared, type Choice, type ListFilter } from './filters.ts';
import { stateName } from './list-title.ts';

export interface NothingFoundProps {
  readonly filter: ListFilter;
  readonly onChange: (filter: ListFilter) => void;
}

/** Says what to change: each chosen thing, and how many ads there would be without it. */
export function NothingFound({ filter, onChange }: NothingFoundProps) {
  const t = useText();
  const api = useApi();
  const choices = choicesOf(filter);
  const counts = useQueries({ queries: choices.map(({ without }) => countQuery(api, apiFilterOf(without))) });
  const ways = choices.map((choice, index) => ({
    ...choice,
    count: counts[index]?.data ?? null,
    isCounted: counts[index]?.isPending === false,
  }));
  // What would not help either is not worth a press.
  const helpful = ways.filter(({ count, isCounted }) => !isCounted || count !== 0);

  if (choices.length === 0) {
    return (
      <EmptyState title={t('emptyTitle')} actions={<LinkButton to="/">{t('common.home')}</LinkButton>}>
        <p>{t('emptyAll')}</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title={t('emptyTitle')}
      actions={
        <>
          {helpful.map(({ of, without, count }) => (
            <Button key={of} onClick={() => onChange(without)}>
              {count === null ? wayOut(of, filter, t) : t('wayOutCount', { way: wayOut(of, filter, t), count })}
            </Button>
          ))}
          {(choices.length > 1 || helpful.length === 0) && (
            <Button variant="quiet" onClick={() => onChange(cleared(filter))}>
              {t('clearFilters')}
            </Button>
          )}
        </>
      }
    >
      <p>{choices.length > 1 ? t('emptyText') : t('emptyTextOne')}</p>
    </EmptyState>
  );
}

/** What a press would do, in words. */
function wayOut(of: Choice['of'], filter: ListFilter, say: typeof t): string {
  if (of === 'city') return say('allOf', { state: stateName(filter.state ?? '') });
  if (of === 'state') return say('anywhere');
  if (of === 'category') return say('anyCategory');
  if (of === 'price') return say('anyPrice');
  return say('without', { filter: choiceLabel(of, filter, say) });
}
