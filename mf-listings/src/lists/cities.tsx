import { Link } from 'react-router-dom';
import { STATES } from '@alpenglow/domain/contracts';
import { fill, listingsMessages as text } from '@alpenglow/ui';
import { cityPath } from '../paths.ts';
import styles from './cities.module.css';

/** The data names a state's chief cities first. */
const SHOWN_FIRST = 6;

/** Every state with its cities, the chief ones in view. */
export function Cities() {
  return (
    <div className={styles['states']}>
      {STATES.map(({ code, name, cities }) => (
        <section key={code} className={styles['state']}>
          <h3>
            <Link to={`/listings?state=${code}`}>{name}</Link>
          </h3>
          <CityLinks state={code} cities={cities.slice(0, SHOWN_FIRST)} />
          <details className={styles['more']}>
            <summary>{fill(text.moreCities, { state: name })}</summary>
            <CityLinks state={code} cities={cities.slice(SHOWN_FIRST)} />
          </details>
        </section>
      ))}
    </div>
  );
}

function CityLinks({ state, cities }: { readonly state: string; readonly cities: readonly string[] }) {
  return (
    <ul role="list" className={styles['cities']}>
      {cities.map((city) => (
        <li key={city}>
          <Link to={cityPath(state, city)}>{city}</Link>
        </li>
      ))}
    </ul>
  );
}
