import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { slugOf, type Country, type State } from '@alpenglow/domain/contracts';
import { useApi } from '@alpenglow/ui';
import { placesQuery } from '../api/queries.ts';
import { placePath } from '../places.ts';
import { useText } from '../text.ts';
import { countsOf, type PlaceCounts } from './counts.ts';
import styles from './places.module.css';

/** How many threads each place has; null until it is known. */
export function usePlaceCounts(): PlaceCounts | null {
  const api = useApi();
  const { data } = useQuery(placesQuery(api));
  return data ? countsOf(data) : null;
}

/** A number of threads; nothing while it is unknown. */
export function Count({ count }: { readonly count: number | undefined }) {
  const t = useText();
  return (
    <span className={styles['count']} title={count === undefined ? undefined : t('community.threadCount', { count })}>
      {count === undefined ? '' : t('community.number', { count })}
    </span>
  );
}

/** The states of a country, each with its number of threads. */
export function StateLinks({ country }: { readonly country: Country }) {
  const counts = usePlaceCounts();
  return (
    <ul role="list" className={styles['links']}>
      {country.states.map((state) => (
        <li key={state.code}>
          <Link to={placePath({ country, state, city: null })}>
            {state.name} <Count count={counts?.get(`${country.code}/${state.code}`)} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

export interface CityLinksProps {
  readonly country: Country;
  readonly state: State;
  /** The city that is shown already. */
  readonly without?: string | null;
}

/** The cities of a state, each with its number of threads. */
export function CityLinks({ country, state, without = null }: CityLinksProps) {
  const counts = usePlaceCounts();
  return (
    <ul role="list" className={styles['links']}>
      {state.cities
        .filter((city) => city !== without)
        .map((city) => (
          <li key={city}>
            <Link to={placePath({ country, state, city })}>
              {city} <Count count={counts?.get(`${country.code}/${state.code}/${slugOf(city)}`)} />
            </Link>
          </li>
        ))}
    </ul>
  );
}
