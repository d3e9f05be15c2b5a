import { Link } from 'react-router-dom';
import { COUNTRIES } from '@alpenglow/domain/contracts';
import { placePath } from '../places.ts';
import styles from './pages.module.css';

/** Every place the data knows. */
export function PlaceList() {
  return COUNTRIES.map((country) => (
    <section key={country.code} className={styles['section']}>
      <h2>{country.name}</h2>
      <div className={styles['states']}>
        {country.states.map((state) => (
          <section key={state.code} className={styles['state']}>
            <h3>
              <Link to={placePath({ country, state, city: null })}>{state.name}</Link>
            </h3>
            <ul role="list" className={styles['links']}>
              {state.cities.map((city) => (
                <li key={city}>
                  <Link to={placePath({ country, state, city })}>{city}</Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </section>
  ));
}
