import { Link, Navigate, useLocation, useNavigate, useParams, useSearchParams } from 'react-router-dom';
import { CATEGORIES } from '@alpenglow/domain/contracts';
import { EmptyState, LinkButton, Page, PageHeading, useIsHydrated, useLocale } from '@alpenglow/ui';
import { Cities, CitiesNearby } from '../lists/cities.tsx';
import { parseFilter, toListQueryString, type ListFilter } from '../lists/filters.ts';
import { findPlaces, parseState, type Place } from '../lists/places.ts';
import { useAdCounts } from '../lists/use-ad-counts.ts';
import { getMatchingCount } from '../lists/count-query.ts';
import { useFilteredCounts } from '../lists/use-filtered-counts.ts';
import { cityPath, getStatePath } from '../paths.ts';
import { useText } from './city-texts/text.ts';
import { ListPage } from './list-page.tsx';
import styles from './city.module.css';

/**
 * The pages `/city/{city}` and `/city/{state}/{city}`. All spellings of a city redirect to its canonical path, for
 * example `/city/nv/las-vegas`.
 */
export default function CityPage() {
  const { state, city = '' } = useParams();
  const { pathname, search } = useLocation();
  const isHydrated = useIsHydrated();
  const places = findPlaces(city, state);
  const [place] = places;
  const isUnique =
    place !== undefined && places.length === 1 && (state === undefined || place.state === parseState(state));

  if (!isUnique) return <CityChoice places={places} state={state} />;
  const address = cityPath(place.state.code, place.city);
  return (
    <>
      {/* Without scripts, the page remains at the other spelling. */}
      {isHydrated && pathname !== address && <Navigate to={`${address}${search}`} replace />}
      <CityList place={place} />
    </>
  );
}

/** The page of one city. If the visitor selects another place in the filter bar, the page of that place opens. */
function CityList({ place: { state, city } }: { readonly place: Place }) {
  const t = useText();
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams();
  const here = { state: state.code, city };
  const filter: ListFilter = { ...parseFilter(search), ...here };

  return (
    <ListPage
      filter={filter}
      isPlaceFixed
      breadcrumbs={[{ label: state.name, to: getStatePath(state.code) }, { label: city }]}
      renderIntro={(counted) => (
        // The key prevents that the numbers of another city remain until those of this city have arrived.
        <Intro key={cityPath(state.code, city)} place={{ state, city }} filter={filter} counted={counted} />
      )}
      onChange={(changed, how) => {
        const rest = toListQueryString({ ...changed, state: null, city: null });
        if (changed.state === here.state && changed.city === here.city)
          setSearch(rest, { replace: how === 'typing', preventScrollReset: true });
        else if (changed.state !== null && changed.city !== null)
          void navigate(`${cityPath(changed.state, changed.city)}${rest}`);
        else void navigate(`/listings${toListQueryString(changed)}`);
      }}
    >
      <section className={styles['nearby']} aria-labelledby="nearby">
        <h2 id="nearby">{t('nearbyTitle', { state: state.name })}</h2>
        <CitiesNearby state={state} except={city} />
      </section>
    </ListPage>
  );
}

interface IntroProps {
  readonly place: Place;
  /** The filter that the links keep. */
  readonly filter: ListFilter;
  /** The filter whose numbers of ads are shown. */
  readonly counted: ListFilter;
}

function Intro({ place: { state, city }, filter, counted }: IntroProps) {
  const t = useText();
  const locale = useLocale();
  const counts = useAdCounts({ state: state.code, city });
  const filtered = useFilteredCounts(counted);
  const categories = CATEGORIES.map((category) => ({
    category,
    total: counts?.categories.find((entry) => entry.category === category)?.count ?? 0,
    count: getMatchingCount(filtered, category),
  }));
  const shown =
    getMatchingCount(filtered, filter.category) ??
    categories.find(({ category }) => category === filter.category)?.total;
  return (
    <div className={styles['intro']}>
      <p>
        {counts && shown != null && shown !== counts.total
          ? t('cityIntroFiltered', { count: shown, total: counts.total, city, state: state.name })
          : counts
            ? t('cityIntro', { count: counts.total, city, state: state.name })
            : t('cityIntroWaiting', { city, state: state.name })}
      </p>
      <ul role="list">
        {categories.map(({ category, total, count }) => (
          <li key={category}>
            <Link
              to={`${cityPath(state.code, city)}${toListQueryString({ ...filter, state: null, city: null, category })}`}
              aria-current={filter.category === category ? 'true' : undefined}
              className={counts && (count ?? total) === 0 ? styles['empty'] : undefined}
              preventScrollReset
            >
              {t(`categories.${category}`)}{' '}
              {counts && (
                <span>
                  {count == null || count === total
                    ? total.toLocaleString(locale)
                    : t('countOf', { count: count.toLocaleString(locale), total: total.toLocaleString(locale) })}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Lets the visitor choose a city if no city or more than one city has the name in the URL. */
function CityChoice({ places, state }: { readonly places: readonly Place[]; readonly state: string | undefined }) {
  const t = useText();
  const { search } = useLocation();
  const known = state === undefined ? null : parseState(state);
  const title = places.length > 0 ? t('placeWhichTitle') : t('placeUnknownTitle');
  return (
    <Page>
      <EmptyState
        title={<PageHeading documentTitle={title}>{title}</PageHeading>}
        actions={
          <>
            {places.map((place) => (
              <LinkButton key={place.state.code} to={`${cityPath(place.state.code, place.city)}${search}`}>
                {place.city}, {place.state.name}
              </LinkButton>
            ))}
            {known && <LinkButton to={getStatePath(known.code)}>{t('allOf', { state: known.name })}</LinkButton>}
            <LinkButton to="/listings" variant="quiet">
              {t('seeAll')}
            </LinkButton>
          </>
        }
      >
        <p>{places.length > 0 ? t('placeWhichText') : t('placeUnknownText')}</p>
      </EmptyState>
      <section className={styles['everywhere']} aria-labelledby="cities">
        <h2 id="cities">{t('citiesTitle')}</h2>
        <Cities />
      </section>
    </Page>
  );
}
