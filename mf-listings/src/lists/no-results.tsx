import { useQueries } from '@tanstack/react-query';
import { Button, EmptyState, LinkButton, useApi } from '@alpenglow/ui';
import { useText } from './text.ts';
import { formatFilter } from './filter-chips.tsx';
import { getMatchingCount, matchingCountsQuery } from './count-query.ts';
import { toApiFilter, getSelectedFilters, clearFilter, type SelectedFilter, type ListFilter } from './filters.ts';
import { getStateName } from './list-title.ts';

export interface NoResultsProps {
  readonly title: string;
  readonly filter: ListFilter;
  /** True on the page of a city. The suggestion to leave the city is then the last one. */
  readonly isPlaceFixed: boolean;
  readonly onChange: (filter: ListFilter) => void;
}

/**
 * Is shown for an empty list and suggests filters to remove. Each suggestion shows how many ads would match without
 * that filter.
 */
export default function NoResults({ title, filter, isPlaceFixed, onChange }: NoResultsProps) {
  const t = useText();
  const api = useApi();
  const isPlace = ({ name }: SelectedFilter) => isPlaceFixed && name === 'city';
  const choices = [...getSelectedFilters(filter)].sort((one, other) => Number(isPlace(one)) - Number(isPlace(other)));
  const counts = useQueries({ queries: choices.map(({ without }) => matchingCountsQuery(api, toApiFilter(without))) });
  const suggestions = choices.map((choice, index) => ({
    ...choice,
    count: getMatchingCount(counts[index]?.data ?? null, choice.without.category),
    isCounted: counts[index]?.isPending === false,
  }));
  // Omits suggestions that would result in another empty list.
  const helpful = suggestions.filter(({ count, isCounted }) => !isCounted || count !== 0);

  if (choices.length === 0) {
    return (
      <EmptyState title={title} actions={<LinkButton to="/">{t('common.home')}</LinkButton>}>
        <p>{t('emptyAll')}</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title={title}
      actions={
        <>
          {helpful.map(({ name, without, count }) => (
            <Button key={name} onClick={() => onChange(without)}>
              {count === null
                ? suggestionLabel(name, filter, t)
                : t('wayOutCount', { way: suggestionLabel(name, filter, t), count })}
            </Button>
          ))}
          <LinkButton to="/listings" data-without-scripts="">
            {t('seeAll')}
          </LinkButton>
          {(choices.length > 1 || helpful.length === 0) && (
            <Button variant="quiet" onClick={() => onChange(clearFilter(filter))}>
              {t('clearFilters')}
            </Button>
          )}
        </>
      }
    >
      <p>{t(choices.length > 1 ? 'emptyText' : choices[0]?.name === 'q' ? 'emptyTextSearch' : 'emptyTextOne')}</p>
    </EmptyState>
  );
}

function suggestionLabel(
  of: SelectedFilter['name'],
  filter: ListFilter,
  translate: ReturnType<typeof useText>,
): string {
  if (of === 'city') return translate('allOf', { state: getStateName(filter.state ?? '') });
  if (of === 'state') return translate('anywhere');
  if (of === 'category') return translate('anyCategory');
  if (of === 'price') return translate('anyPrice');
  return translate('without', { filter: formatFilter(of, filter, translate) });
}
