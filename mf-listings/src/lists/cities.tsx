import { useState } from 'react';
import { Link } from 'react-router-dom';
import { STATES, type State } from '@alpenglow/domain/contracts';
import { useLocale } from '@alpenglow/ui';
import { cityPath, statePath } from '../paths.ts';
import { useText } from '../text.ts';
import { adsIn, citiesByAds } from './places.ts';
import { useAdCounts, type AdCounts } from './use-ad-counts.ts';
import styles from './cities.module.css';

/** More than this are one press away. */
const SHOWN_FIRST = 6;

/** Every state with its cities and how many ads each has, those with most in view. */
export function Cities() {
  const t = useText();
  const counts = useAdCounts();
  const order = useFirstCounts(counts);
  return (
    <div className={styles['states']}>
      {STATES.map((state) => {
        const cities = citiesByAds(state, order);
        return (
          <section key={state.code} className={styles['state']}>
            <h3>
              <Link to={statePath(state.code)}>
                {state.name}{' '}
                <Count count={counts ? (counts.states.find((one) => one.state === state.code)?.count ?? 0) : null} />
              </Link>
            </h3>
            <CityLinks state={state.code} cities={cities.slice(0, SHOWN_FIRST)} counts={counts} />
            <details className={styles['more']}>
              <summary>{t('moreCities', { state: state.name })}</summary>
              <CityLinks state={state.code} cities={cities.slice(SHOWN_FIRST)} counts={counts} />
            </details>
          </section>
        );
      })}
    </div>
  );
}

/** The other cities of a state, those with most ads first. */
export function CitiesNearby({ state, except }: { readonly state: State; readonly except: string }) {
  const counts = useAdCounts();
  const order = useFirstCounts(counts);
  return (
    <CityLinks
      state={state.code}
      cities={citiesByAds(state, order).filter((city) => city !== except)}
      counts={counts}
    />
  );
}

/** Counts change while somebody reads; the order they were first shown in does not. */
function useFirstCounts(counts: AdCounts | undefined): AdCounts | undefined {
  const [first, setFirst] = useState(counts);
  if (first === undefined && counts !== undefined) setFirst(counts);
  return first ?? counts;
}

function CityLinks({
  state,
  cities,
  counts,
}: {
  readonly state: string;
  readonly cities: readonly string[];
  readonly counts: AdCounts | undefined;
}) {
  return (
    <ul role="list" className={styles['cities']}>
      {cities.map((city) => (
        <li key={city}>
          <Link to={cityPath(state, city)}>
            {city} <Count count={adsIn(counts, state, city)} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** A number of ads beside a name; heard in words. Nothing while it is not known. */
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
