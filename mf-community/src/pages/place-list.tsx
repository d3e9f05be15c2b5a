import { Link } from 'react-router-dom';
import { COUNTRIES, type Country, type State } from '@alpenglow/domain/contracts';
import { useLocale } from '@alpenglow/ui';
import { countryName, placePath } from '../places.ts';
import styles from './pages.module.css';

/** Every place the data knows. */
export function PlaceList() {
  const locale = useLocale();
  return COUNTRIES.map((country) => (
    <section key={country.code} className={styles['section']}>
      <h2>
        <Link to={placePath({ country, state: null, city: null })}>{countryName(country, locale)}</Link>
      </h2>
      <StateList country={country} />
    </section>
  ));
}

/** The states of a country, each with its cities. */
export function StateList({ country }: { readonly country: Country }) {
  return (
    <div className={styles['states']}>
      {country.states.map((state) => (
        <section key={state.code} className={styles['state']}>
          <h3>
            <Link to={placePath({ country, state, city: null })}>{state.name}</Link>
          </h3>
          <CityList country={country} state={state} />
        </section>
      ))}
    </div>
  );
}

export interface CityListProps {
  readonly country: Country;
  readonly state: State;
  /** The city that is shown already. */
  readonly without?: string | null;
}

/** The cities of a state. */
export function CityList({ country, state, without = null }: CityListProps) {
  return (
    <ul role="list" className={styles['links']}>
      {state.cities
        .filter((city) => city !== without)
        .map((city) => (
          <li key={city}>
            <Link to={placePath({ country, state, city })}>{city}</Link>
          </li>
        ))}
    </ul>
  );
}
