import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { useApi, useLocale } from '@alpenglow/ui';
import { placesQuery } from '../api/queries.ts';
import { formatPlaceName, getPlacePath, type Place } from '../places.ts';
import { useText } from '../text.ts';
import { getPlaceKey, toPlaceCounts, type PlaceCounts } from './counts.ts';
import styles from './places.module.css';

/** Returns the number of threads in each place, or null while the numbers are loading. */
export function usePlaceCounts(): PlaceCounts | null {
  const { data } = useQuery(placesQuery(useApi()));
  return data ? toPlaceCounts(data) : null;
}

export interface PlaceCountProps {
  readonly place: Place;
  readonly counts: PlaceCounts | null;
}

/** The number of threads in a place, next to its name. It is empty until the number is loaded. */
export function PlaceCount({ place, counts }: PlaceCountProps) {
  const t = useText();
  const count = counts?.get(getPlaceKey(place));
  return (
    <span className={styles['count']} title={count === undefined ? undefined : t('community.threadCount', { count })}>
      {count === undefined ? '' : t('community.number', { count })}
    </span>
  );
}

/** A link to a place, with its number of threads. */
export function PlaceLink({ place, counts }: PlaceCountProps) {
  return (
    <Link to={getPlacePath(place)}>
      {formatPlaceName(place, useLocale())} <PlaceCount place={place} counts={counts} />
    </Link>
  );
}

/** Links to places, with their numbers of threads. */
export function PlaceLinks({
  places,
  counts,
}: { readonly places: readonly Place[] } & Pick<PlaceCountProps, 'counts'>) {
  return (
    <ul role="list" className={styles['links']}>
      {places.map((place) => (
        <li key={getPlaceKey(place)}>
          <PlaceLink place={place} counts={counts} />
        </li>
      ))}
    </ul>
  );
}
