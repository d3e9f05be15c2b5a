import { splitWords } from '@alpenglow/domain/contracts';
import { Highlight, SuggestionList, useLocale, VisuallyHidden, type SuggestionsProps } from '@alpenglow/ui';
import { useText } from './text.ts';
import { getStateName } from './list-title.ts';
import type { PlaceChoice } from './place-options.ts';
import { getAdCount } from './places.ts';
import { useAdCounts, type AdCounts } from './use-ad-counts.ts';
import styles from './place-list.module.css';

/** Finds and renders the suggestions of a `PlaceField`. */
export { findPlaceOptions as find } from './place-options.ts';
export const render = (props: SuggestionsProps<PlaceChoice>) => <PlaceList {...props} />;

/** The suggestions of a `PlaceField`, with the number of ads of each place. */
function PlaceList({ text, ...props }: SuggestionsProps<PlaceChoice>) {
  const t = useText();
  const locale = useLocale();
  const counts = useAdCounts();
  const words = splitWords(text);
  return (
    <SuggestionList
      {...props}
      label={t('placeList')}
      summary={props.options.length === 0 ? t('placeNone') : t('placeCount', { count: props.options.length })}
      getKey={({ state, city }) => `${state}/${city}`}
      renderOption={(place) => {
        const count = countAds(counts, place);
        return (
          <>
            <span>
              {place.state === null ? (
                t('anywhere')
              ) : place.city === null ? (
                <Highlight text={t('allOf', { state: getStateName(place.state) })} words={words} />
              ) : (
                <>
                  <Highlight text={place.city} words={words} />
                  <span className={styles['state']}>
                    {', '}
                    <Highlight text={getStateName(place.state)} words={words} />
                  </span>
                </>
              )}
            </span>
            {count !== null && (
              <span className={styles['count']}>
                <span aria-hidden="true">{count.toLocaleString(locale)}</span>
                <VisuallyHidden> {t('resultCount', { count })}</VisuallyHidden>
              </span>
            )}
          </>
        );
      }}
    />
  );
}

/** Returns the number of ads in a place. Returns null while the numbers are loading. */
function countAds(counts: AdCounts | undefined, { state, city }: PlaceChoice): number | null {
  if (!counts) return null;
  if (state === null) return counts.total;
  if (city !== null) return getAdCount(counts, state, city);
  return counts.states.find((entry) => entry.state === state)?.count ?? 0;
}
