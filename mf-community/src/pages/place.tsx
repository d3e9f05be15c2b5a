import { Link, useParams, useSearchParams } from 'react-router-dom';
import {
  Breadcrumbs,
  EmptyState,
  lazyPage,
  LinkButton,
  Page,
  PageHeading,
  useLocale,
  type Breadcrumb,
} from '@alpenglow/ui';
import { filterOf, sortOf } from '../lists/sort.ts';
import { SortTabs } from '../lists/sort-tabs.tsx';
import { ThreadList } from '../lists/thread-list.tsx';
import { CityLinks, StateLinks } from '../place-tree/place-links.tsx';
import { adsPath, breadcrumbsTo, placeName, placeOf, placePath, type Place } from '../places.ts';
import { useText } from '../text.ts';
import { ThreadSkeleton } from '../thread/thread-skeleton.tsx';
import { NewThreadPage } from './new-thread.tsx';
import { NotFoundPage } from './not-found.tsx';
import styles from './pages.module.css';

const ThreadPage = lazyPage(() => import('./thread.tsx'), <ThreadSkeleton />);

/** `/community/{country}`, with a state and a city. What is no country is the id of a thread. */
export function PlacePage() {
  const { idOrCountry, country, state, city } = useParams();
  const [search] = useSearchParams();
  const place = placeOf(country ?? idOrCountry ?? '', state, city);
  if (!place) return idOrCountry === undefined ? <NotFoundPage /> : <ThreadPage />;
  if (search.has('new')) return <NewThreadPage place={place} />;
  return <PlaceThreads place={place} />;
}

function PlaceThreads({ place }: { readonly place: Place }) {
  const t = useText();
  const locale = useLocale();
  const [search] = useSearchParams();
  const sort = sortOf(search);
  const name = placeName(place, locale);
  const title = t('communityIn', { place: name });
  const start = `${placePath(place)}?new=1`;
  const around: readonly Breadcrumb[] = breadcrumbsTo(place, locale).slice(0, -1);
  return (
    <Page>
      <Breadcrumbs
        items={[
          { label: t('common.home'), to: '/' },
          { label: t('community'), to: '/community' },
          ...around,
          { label: name },
        ]}
      />
      <header className={styles['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        <p className={styles['actions']}>
          <LinkButton to={start} variant="primary">
            {t('community.startThread')}
          </LinkButton>
          <LinkButton to={adsPath(place)}>
            {place.state === null ? t('common.browse') : t('adsIn', { place: name })}
          </LinkButton>
        </p>
      </header>
      <div className={styles['columns']}>
        <div className={styles['main']}>
          <SortTabs sort={sort} />
          <ThreadList
            filter={filterOf(place, sort)}
            label={t(`community.sort.${sort}`)}
            empty={
              <EmptyState
                title={t('community.emptyIn', { place: name })}
                actions={
                  <LinkButton to={start} variant="primary">
                    {t('community.startThread')}
                  </LinkButton>
                }
              >
                <p>{t('community.emptyInText')}</p>
              </EmptyState>
            }
          />
        </div>
        <aside className={styles['aside']} aria-labelledby="inside">
          <Inside place={place} />
          <p>
            <Link to="/community/locations">{t('allPlaces')}</Link>
          </p>
        </aside>
      </div>
    </Page>
  );
}

/** Where to go from a place: the places in it, or its neighbours. */
function Inside({ place: { country, state, city } }: { readonly place: Place }) {
  const t = useText();
  return (
    <>
      <h2 id="inside">
        {state === null ? t('states') : city === null ? t('cities') : t('otherCities', { place: state.name })}
      </h2>
      {state === null ? <StateLinks country={country} /> : <CityLinks country={country} state={state} without={city} />}
    </>
  );
}
