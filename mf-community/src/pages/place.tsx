import { Link, useParams, useSearchParams } from 'react-router-dom';
import {
  Breadcrumbs,
  EmptyState,
  layout,
  lazyPage,
  LinkButton,
  Page,
  PageHeading,
  useLocale,
  type Breadcrumb,
} from '@alpenglow/ui';
import { toThreadFilter, parseSort } from '../lists/sort.ts';
import { SortTabs } from '../lists/sort-tabs.tsx';
import { ThreadList } from '../lists/thread-list.tsx';
import { PlaceLinks, usePlaceCounts } from '../place-tree/place-links.tsx';
import {
  getAdsPath,
  getBreadcrumbs,
  formatPlaceName,
  findPlace,
  getPlacePath,
  getStates,
  type Place,
} from '../places.ts';
import { useText } from '../text.ts';
import { ThreadSkeleton } from '../thread/thread-skeleton.tsx';
import { NewThreadPage } from './new-thread.tsx';
import { NotFoundPage } from './not-found.tsx';
import styles from './pages.module.css';

const ThreadPage = lazyPage(
  () => import(/* webpackChunkName: "thread" */ './thread.tsx'),
  <ThreadSkeleton />,
  'thread',
);

/**
 * The page `/community/{country}`, with an optional state and city. If the path segment is not a country, it is the id
 * of a thread, and the thread is shown instead.
 */
export function PlacePage() {
  const { idOrCountry, country, state, city } = useParams();
  const [search] = useSearchParams();
  const place = findPlace(country ?? idOrCountry ?? '', state, city);
  if (!place) return idOrCountry === undefined ? <NotFoundPage /> : <ThreadPage />;
  if (search.has('new')) return <NewThreadPage place={place} />;
  return <PlaceThreads place={place} />;
}

function PlaceThreads({ place }: { readonly place: Place }) {
  const t = useText();
  const locale = useLocale();
  const [search] = useSearchParams();
  const sort = parseSort(search);
  const name = formatPlaceName(place, locale);
  const title = t('communityIn', { place: name });
  const newThreadPath = `${getPlacePath(place)}?new=1`;
  const parents: readonly Breadcrumb[] = getBreadcrumbs(place, locale).slice(0, -1);
  return (
    <Page>
      <Breadcrumbs fromHome items={[{ label: t('community'), to: '/community' }, ...parents, { label: name }]} />
      <header className={styles['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        <p className={styles['actions']}>
          <LinkButton to={newThreadPath} variant="primary">
            {t('community.startThread')}
          </LinkButton>
          <LinkButton to={getAdsPath(place)}>
            {place.state === null ? t('common.browse') : t('adsIn', { place: name })}
          </LinkButton>
        </p>
      </header>
      <div className={styles['columns']}>
        <div className={layout['shrink']}>
          <SortTabs sort={sort} />
          <ThreadList
            filter={toThreadFilter(place, sort)}
            label={t(`community.sort.${sort}`)}
            empty={
              <EmptyState
                title={t('community.emptyIn', { place: name })}
                actions={
                  <LinkButton to={newThreadPath} variant="primary">
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
          <NearbyPlaces place={place} />
          <p>
            <Link to="/community/locations">{t('allPlaces')}</Link>
          </p>
        </aside>
      </div>
    </Page>
  );
}

/** Links to the places in a country or state. For a city, links to the other cities of its state. */
function NearbyPlaces({ place: { country, state, city } }: { readonly place: Place }) {
  const t = useText();
  const otherCities = state?.cities.filter((other) => other !== city);
  const places = otherCities?.map((other) => ({ country, state, city: other })) ?? getStates(country);
  return (
    <>
      <h2 id="inside">
        {state === null ? t('states') : city === null ? t('cities') : t('otherCities', { place: state.name })}
      </h2>
      <PlaceLinks places={places} counts={usePlaceCounts()} />
    </>
  );
}
