import { useState } from 'react';
import { Link } from 'react-router-dom';
import { COUNTRIES, slugify, STATES, type Country, type State } from '@alpenglow/domain/contracts';
import { Breadcrumbs, ChevronRightIcon, Field, layout, Page, PageHeading, TextInput } from '@alpenglow/ui';
import { PlaceCount, PlaceLink, PlaceLinks, usePlaceCounts } from '../place-tree/place-links.tsx';
import styles from '../place-tree/places.module.css';
import { getPlacePath } from '../places.ts';
import { useText } from '../text.ts';
import pages from './pages.module.css';

/** The page `/community/locations`, which shows a tree of countries, states and cities with a filter field. */
export function LocationsPage() {
  const t = useText();
  const [text, setText] = useState('');
  const searchSlug = slugify(text);
  const cities = STATES.reduce((sum, state) => sum + state.cities.length, 0);
  const results = COUNTRIES.map((country) => ({
    country,
    states: country.states.flatMap((state) => branchOf(state, searchSlug)),
  })).filter(({ states }) => states.length > 0);
  const count = results.reduce(
    (sum, { states }) => sum + states.reduce((inside, branch) => inside + branch.cities.length, 0),
    0,
  );
  return (
    <Page>
      <Breadcrumbs fromHome items={[{ label: t('community'), to: '/community' }, { label: t('locations') }]} />
      <header className={pages['head']}>
        <PageHeading documentTitle={t('locationsTitle')}>{t('locationsTitle')}</PageHeading>
        <p>{t('locationsLead', { cities, states: STATES.length })}</p>
      </header>
      <search className={styles['filter']} data-needs-scripts="">
        <Field label={t('community.findPlace')}>
          <TextInput type="search" value={text} autoComplete="off" onChange={({ target }) => setText(target.value)} />
        </Field>
        <p role="status" className={layout['hint']}>
          {searchSlug !== '' && t('community.placesFound', { count })}
        </p>
      </search>
      {results.map(({ country, states }) => (
        <CountryTree key={country.code} country={country} states={states} isNarrowed={searchSlug !== ''} />
      ))}
    </Page>
  );
}

interface Branch {
  readonly state: State;
  readonly cities: readonly string[];
}

/**
 * Returns a state with its cities that match the filter. If the state itself matches, returns it with all its cities.
 * Returns an empty list if nothing matches.
 */
function branchOf(state: State, searchSlug: string): readonly Branch[] {
  const isWhole =
    searchSlug === '' || slugify(state.name).includes(searchSlug) || state.code.toLowerCase() === searchSlug;
  const cities = isWhole ? state.cities : state.cities.filter((city) => slugify(city).includes(searchSlug));
  return cities.length > 0 ? [{ state, cities }] : [];
}

interface CountryTreeProps {
  readonly country: Country;
  readonly states: readonly Branch[];
  /** True if a filter is set. In that case, the states are expanded. */
  readonly isNarrowed: boolean;
}

function CountryTree({ country, states, isNarrowed }: CountryTreeProps) {
  const t = useText();
  const counts = usePlaceCounts();
  return (
    <section className={styles['tree']}>
      <h2>
        <PlaceLink place={{ country, state: null, city: null }} counts={counts} />
      </h2>
      {states.map(({ state, cities }) => (
        // A new filter changes the key, which expands or collapses the state. Until then, the visitor controls it.
        <details key={`${state.code}-${isNarrowed}`} className={styles['branch']} open={isNarrowed}>
          <summary>
            <ChevronRightIcon size={1} />
            {state.name} <PlaceCount place={{ country, state, city: null }} counts={counts} />
          </summary>
          <div className={styles['inside']}>
            <p className={styles['whole']}>
              <Link to={getPlacePath({ country, state, city: null })}>
                {t('community.allOf', { place: state.name })}
              </Link>
            </p>
            <PlaceLinks places={cities.map((city) => ({ country, state, city }))} counts={counts} />
          </div>
        </details>
      ))}
    </section>
  );
}
