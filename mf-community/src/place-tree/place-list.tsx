import { COUNTRIES } from '@alpenglow/domain/contracts';
import { PlaceLink, PlaceLinks, usePlaceCounts } from './place-links.tsx';
import { getStates } from '../places.ts';
import styles from './places.module.css';

/** Lists every country with its states and the number of threads in each state. */
export function PlaceList() {
  const counts = usePlaceCounts();
  return COUNTRIES.map((country) => (
    <section key={country.code}>
      <h3 className={styles['country']}>
        <PlaceLink place={{ country, state: null, city: null }} counts={counts} />
      </h3>
      <PlaceLinks places={getStates(country)} counts={counts} />
    </section>
  ));
}
