import { useState } from 'react';
import { Link } from 'react-router-dom';
import { COUNTRIES, slugOf, STATES, type Country, type State } from '@alpenglow/domain/contracts';
import { Breadcrumbs, ChevronRightIcon, Field, Page, PageHeading, TextInput, useLocale } from '@alpenglow/ui';
import { Count, usePlaceCounts } from '../place-tree/place-links.tsx';
import styles from '../place-tree/places.module.css';
import { countryName, placePath } from '../places.ts';
import { useText } from '../text.ts';
import pages from './pages.module.css';

/** `/community/locations`: countries, their states, and the cities of these, as a tree that is narrowed by typing. */
export function LocationsPage() {
  const t = useText();
  const [text, setText] = useState('');
  const wanted = slugOf(text);
  const cities = STATES.reduce((sum, state) => sum + state.cities.length, 0);
  const found = COUNTRIES.map((country) => ({
    country,
    states: country.states.flatMap((state) => branchOf(state, wanted)),
  })).filter(({ states }) => states.length > 0);
  const count = found.reduce(
    (sum, { states }) => sum + states.reduce((inside, branch) => inside + branch.cities.length, 0),
    0,
  );
  return (
    <Page>
      <Breadcrumbs
        items={[
          { label: t('common.home'), to: '/' },
          { label: t('community'), to: '/community' },
          { label: t('locations') },
        ]}
      />
      <header className={pages['head']}>
        <PageHeading documentTitle={t('locationsTitle')}>{t('locationsTitle')}</PageHeading>
        <p>{t('locationsLead', { cities, states: STATES.length })}</p>
      </header>
      <search className={styles['filter']}>
        <Field label={t('community.findPlace')}>
          <TextInput type="search" value={text} autoComplete="off" onChange={({ target }) => setText(target.value)} />
        </Field>
        <p role="status" className={pages['quiet']}>
          {wanted !== '' && t('community.placesFound', { count })}
        </p>
      </search>
      {found.map(({ country, states }) => (
        <CountryTree key={country.code} country={country} states={states} isNarrowed={wanted !== ''} />
      ))}
    </Page>
  );
}

interface Branch {
  readonly state: State;
  readonly cities: readonly string[];
}

/** A state with those of its cities that are wanted; with all of them where the state itself is. */
function branchOf(state: State, wanted: string): readonly Branch[] {
  const isWhole = wanted === '' || slugOf(state.name).includes(wanted) || state.code.toLowerCase() === wanted;
  const cities = isWhole ? state.cities : state.cities.filter((city) => slugOf(city).includes(wanted));
  return cities.length > 0 ? [{ state, cities }] : [];
}

interface CountryTreeProps {
  readonly country: Country;
  readonly states: readonly Branch[];
  /** Somebody looks for something: what was found stands open. */
  readonly isNarrowed: boolean;
}

function CountryTree({ country, states, isNarrowed }: CountryTreeProps) {
  const t = useText();
  const locale = useLocale();
  const counts = usePlaceCounts();
  return (
    <section className={styles['tree']}>
      <h2>
        <Link to={placePath({ country, state: null, city: null })}>
          {countryName(country, locale)} <Count count={counts?.get(country.code)} />
        </Link>
      </h2>
      {states.map(({ state, cities }) => (
        // The key opens and closes it with the search; in between it is the visitor's.
        <details key={`${state.code}-${isNarrowed}`} className={styles['branch']} open={isNarrowed}>
          <summary>
            <ChevronRightIcon size={1} />
            {state.name} <Count count={counts?.get(`${country.code}/${state.code}`)} />
          </summary>
          <div className={styles['inside']}>
            <p className={styles['whole']}>
              <Link to={placePath({ country, state, city: null })}>{t('community.allOf', { place: state.name })}</Link>
            </p>
            <ul role="list" className={styles['links']}>
              {cities.map((city) => (
                <li key={city}>
                  <Link to={placePath({ country, state, city })}>
                    {city} <Count count={counts?.get(`${country.code}/${state.code}/${slugOf(city)}`)} />
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        </details>
      ))}
    </section>
  );
}
