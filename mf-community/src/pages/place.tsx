import { useParams } from 'react-router-dom';
import { LinkButton, useLocale, type Breadcrumb } from '@alpenglow/ui';
import { adsPath, countryName, placeName, placeOf, placePath, type Place } from '../places.ts';
import { useText } from '../text.ts';
import { NotYetPage } from './not-yet.tsx';
import { CityList, StateList } from './place-list.tsx';
import { PostPage } from './post.tsx';
import styles from './pages.module.css';

/** `/community/{country}`, with a state and a city. What is no country is the id of a post. */
export function PlacePage() {
  const t = useText();
  const locale = useLocale();
  const { idOrCountry, country, state, city } = useParams();
  const place = placeOf(country ?? idOrCountry ?? '', state, city);
  if (!place) return <PostPage />;
  const name = placeName(place, locale);
  return (
    <NotYetPage
      title={t('communityIn', { place: name })}
      shortTitle={name}
      way={[{ label: t('community'), to: '/community' }, ...placesAround(place, locale)]}
      notYet={t('placeNotYetText', { place: name })}
      actions={
        <>
          <LinkButton to={adsPath(place)} variant="primary">
            {place.state === null ? t('common.browse') : t('adsIn', { place: name })}
          </LinkButton>
          <LinkButton to="/community/locations">{t('allPlaces')}</LinkButton>
        </>
      }
    >
      <Inside place={place} />
    </NotYetPage>
  );
}

/** The country and the state around a place, widest first. */
function placesAround({ country, state, city }: Place, locale: string): readonly Breadcrumb[] {
  const around: Breadcrumb[] = [];
  if (state !== null) around.push({ label: countryName(country, locale), to: placePath({ country, state: null, city: null }) });
  if (state !== null && city !== null) around.push({ label: state.name, to: placePath({ country, state, city: null }) });
  return around;
}

/** Where to go from a place: the places in it, or its neighbours. */
function Inside({ place: { country, state, city } }: { readonly place: Place }) {
  const t = useText();
  return (
    <section className={styles['section']}>
      <h2>{state === null ? t('states') : city === null ? t('cities') : t('otherCities', { place: state.name })}</h2>
      {state === null ? <StateList country={country} /> : <CityList country={country} state={state} without={city} />}
    </section>
  );
}
