import { Link } from 'react-router-dom';
import { COUNTRIES } from '@alpenglow/domain/contracts';
import { useLocale } from '@alpenglow/ui';
import { countryName, placePath } from '../places.ts';
import { Count, StateLinks, usePlaceCounts } from './place-links.tsx';
import styles from './places.module.css';

/** Every country with its states, and how many threads they have. */
export function PlaceList() {
  const locale = useLocale();
  const counts = usePlaceCounts();
  return COUNTRIES.map((country) => (
    <section key={country.code}>
      <h3 className={styles['country']}>
        <Link to={placePath({ country, state: null, city: null })}>
          {countryName(country, locale)} <Count count={counts?.get(country.code)} />
        </Link>
      </h3>
      <StateLinks country={country} />
    </section>
  ));
}
