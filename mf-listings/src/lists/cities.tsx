import { useState } from 'react';
import { Link } from 'react-router-dom';
import { STATES, type State } from '@alpenglow/domain/contracts';
import { useLocale } from '@alpenglow/ui';
import { cityPath, getStatePath } from '../paths.ts';
import { useText } from '../text.ts';
import { getAdCount, sortCitiesByAds } from './places.ts';
import { useAdCounts, type AdCounts } from './use-ad-counts.ts';
import styles from './cities.module.css';

const INITIALLY_SHOWN = 6;

/** Shows every state with its cities and their numbers of ads. Only the cities with most ads are visible at first. */
export function Cities() {
  const t = useText();
  const counts = useAdCounts();
  const order = useFirstCounts(counts);
  return (
    <div className={styles['states']}>
      {STATES.map((state) => {
        const { code, name } = state;
        const cities = sortCitiesByAds(state, order);
        return (
          <section key={code} className={styles['state']}>
            <h3>
              <Link to={getStatePath(code)}>
                {name}{' '}
                <Count count={counts ? (counts.states.find((entry) => entry.state === code)?.count ?? 0) : null} />
              </Link>
            </h3>
            <CityLinks state={code} cities={cities.slice(0, INITIALLY_SHOWN)} counts={counts} />
            <details className={styles['more']}>
              <summary>{t('moreCities', { state: name })}</summary>
              <CityLinks state={code} cities={cities.slice(INITIALLY_SHOWN)} counts={counts} />
            </details>
          </section>
        );
      })}
    </div>
  );
}

/** Shows the other cities of a state. The cities with most ads come first. */
export function CitiesNearby({ state, except }: { readonly state: State; readonly except: string }) {
  const counts = useAdCounts();
  const order = useFirstCounts(counts);
  const cities = sortCitiesByAds(state, order).filter((city) => city !== except);
  return <CityLinks state={state.code} cities={cities} counts={counts} />;
}

/**
 * Returns the numbers of ads that were loaded first. They define the order of the cities, so that later numbers do not
 * move the cities.
 */
function useFirstCounts(counts: AdCounts | undefined): AdCounts | undefined {
  const [first, setFirst] = useState(counts);
  if (first === undefined && counts !== undefined) setFirst(counts);
  return first ?? counts;
}

interface CityLinksProps {
  readonly state: string;
  readonly cities: readonly string[];
  readonly counts: AdCounts | undefined;
}

function CityLinks({ state, cities, counts }: CityLinksProps) {
  return (
    <ul role="list" className={styles['cities']}>
      {cities.map((city) => (
        <li key={city}>
          <Link to={cityPath(state, city)}>
            {city} <Count count={getAdCount(counts, state, city)} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The number of ads next to a name. Shows nothing while the number is unknown. */
function Count({ count }: { readonly count: number | null }) {
  const t = useText();
  const locale = useLocale();
  if (count === null) return null;
  return (
    <span className={styles['count']} aria-label={t('resultCount', { count })} role="img">
      {count.toLocaleString(locale)}
    </span>
  );
}
