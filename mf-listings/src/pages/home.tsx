import { useRef, useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useHref, useNavigate } from 'react-router-dom';
import { STATES } from '@alpenglow/domain/contracts';
import {
  adListQuery,
  ArrowUpIcon,
  Button,
  EmptyState,
  Field,
  LinkButton,
  messageOf,
  Page,
  PageHeading,
  QueryError,
  useApi,
  useHost,
  useUser,
} from '@alpenglow/ui';
import { AdGrid, AdGridSkeleton } from '../ads/ad-grid.tsx';
import { getCards } from '../lists/ad-pages.ts';
import { CategorySelect } from '../lists/category-select.tsx';
import { Cities } from '../lists/cities.tsx';
import { NO_FILTER, toListQueryString } from '../lists/filters.ts';
import { PlaceField } from '../lists/place-field.tsx';
import { useAdCounts } from '../lists/use-ad-counts.ts';
import { useInteraction } from '../lists/use-interaction.ts';
import { useLiveNotice } from '../ads/live-notice.ts';
import { useLiveList } from '../lists/use-live-list.ts';
import { cityPath } from '../paths.ts';
import { useText } from './home-texts/text.ts';
import styles from './home.module.css';

const FRESH_ADS = 10;
const NO_RESTRICTION = {};
const SAFETY = ['1', '2', '3', '4'] as const;
const CITIES = STATES.reduce((sum, { cities }) => sum + cities.length, 0);

/** The home page with a search, new ads, and links to cities. */
export default function HomePage() {
  const t = useText();
  return (
    <>
      <Hero />
      <Page>
        <FreshAds />
        <Places />
        <section className={styles['section']} aria-labelledby="what">
          <div className={styles['what']}>
            <div>
              <h2 id="what">{t('whatTitle')}</h2>
              <p>{t('whatText')}</p>
              <p>
                <Link to="/about">{t('whatMore')}</Link>
              </p>
            </div>
            <ol className={styles['steps']}>
              <li>{t('what.1')}</li>
              <li>{t('what.2')}</li>
              <li>{t('what.3')}</li>
            </ol>
          </div>
        </section>
        <section className={styles['section']} aria-labelledby="safe">
          <div className={styles['sectionHead']}>
            <h2 id="safe">{t('safeTitle')}</h2>
          </div>
          <div className={styles['safe']}>
            {SAFETY.map((point) => (
              <div key={point}>
                <h3>{t(`safe.${point}.title`)}</h3>
                <p>{t(`safe.${point}.text`)}</p>
              </div>
            ))}
          </div>
        </section>
        <ForProviders />
      </Page>
    </>
  );
}

function Hero() {
  const t = useText();
  const navigate = useNavigate();
  const listings = useHref('/listings');
  const [filter, setFilter] = useState(NO_FILTER);
  const unknownPlace = useRef('');
  const search = () => {
    // The page of an unknown city says that the city is not known.
    const unknown = unknownPlace.current;
    const { state, city } = unknown === '' ? filter : { state: null, city: unknown };
    // A search for a city opens the page of this city.
    void navigate(
      city === null
        ? `/listings${toListQueryString(filter)}`
        : (state === null ? `/city/${encodeURIComponent(city)}` : cityPath(state, city)) +
            toListQueryString({ ...filter, state: null, city: null }),
    );
  };
  return (
    <section className={styles['hero']}>
      <svg
        className={styles['ridges']}
        viewBox="0 0 1440 320"
        preserveAspectRatio="xMidYMax slice"
        aria-hidden="true"
        focusable="false"
      >
        <path
          className={styles['far']}
          d="M0 176 90 138l80 34 120-92 66 48 96-74 132 108 88-40 142 92 110-66 122 84 118-108 96 62 92-48 88 40v138H0Z"
        />
        <path
          className={styles['middle']}
          d="M0 236 130 176l96 40 148-96 118 84 92-36 160 72 126-94 148 106 110-52 142 44 88-40 82 30v86H0Z"
        />
        <path
          className={styles['near']}
          d="M0 280 160 232l140 34 172-60 186 70 150-38 186 52 158-66 148 56 140-34v74H0Z"
        />
      </svg>
      <div className={styles['heroInner']}>
        <PageHeading documentTitle={t('heroTitle')}>{t('heroTitle')}</PageHeading>
        <p className={styles['lead']}>{t('heroText')}</p>
        <search>
          <form
            action={listings}
            className={styles['searchBox']}
            onSubmit={(event) => {
              event.preventDefault();
              search();
            }}
          >
            <Field label={t('place')}>
              <PlaceField
                name="place"
                value={filter}
                onChange={(place) => setFilter({ ...filter, ...place })}
                onUnknown={(name) => (unknownPlace.current = name)}
              />
            </Field>
            <Field label={t('category')}>
              <CategorySelect
                name="category"
                value={filter.category}
                onChange={(category) => setFilter({ ...filter, category })}
              />
            </Field>
            <Button type="submit" variant="primary">
              {t('heroSearch')}
            </Button>
          </form>
        </search>
      </div>
    </section>
  );
}

function FreshAds() {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const { ref, isInteracting } = useInteraction();
  const list = useInfiniteQuery(adListQuery(api, NO_RESTRICTION));
  const { showWaiting, forgetEvents, ...live } = useLiveList(NO_RESTRICTION, list.data, {
    isHeld: isInteracting,
    isAlwaysAtTop: true,
  });
  const cards = getCards(list.data).slice(0, FRESH_ADS);
  const notice = useLiveNotice(live);
  const showNewAds = () => {
    forgetEvents();
    if (live.waiting === 0) return;
    showWaiting().catch((error: unknown) => notify({ text: messageOf(error, t('api.adsFailed')), tone: 'danger' }));
  };
  return (
    <section aria-labelledby="fresh">
      <div className={styles['sectionHead']}>
        <div>
          <h2 id="fresh">{t('freshTitle')}</h2>
          <p>{t('freshText')}</p>
        </div>
        <div className={styles['freshActions']}>
          <div role="status">
            {notice.count > 0 && (
              <Button variant="quiet" onClick={showNewAds}>
                <ArrowUpIcon />
                {notice.text}
              </Button>
            )}
          </div>
          <LinkButton to="/listings" variant="quiet">
            {t('seeAll')}
          </LinkButton>
        </div>
      </div>
      <div ref={ref} className={styles['fresh']}>
        {list.isPending ? (
          <AdGridSkeleton count={FRESH_ADS} />
        ) : cards.length > 0 ? (
          <AdGrid ads={cards} label={t('freshTitle')} />
        ) : list.isError ? (
          <QueryError query={list} text={t('api.adsFailed')} />
        ) : (
          <EmptyState title={<h3>{t('emptyTitle')}</h3>}>{t('emptyAll')}</EmptyState>
        )}
      </div>
    </section>
  );
}

function Places() {
  const t = useText();
  const total = useAdCounts()?.total;
  const placeCounts = { states: STATES.length, cities: CITIES };
  return (
    <section className={styles['section']} aria-labelledby="cities">
      <div className={styles['sectionHead']}>
        <div>
          <h2 id="cities">{t('citiesTitle')}</h2>
          <p>
            {total === undefined ? t('citiesText', placeCounts) : t('citiesCount', { ...placeCounts, count: total })}
          </p>
        </div>
      </div>
      <Cities />
    </section>
  );
}

function ForProviders() {
  const t = useText();
  const user = useUser();
  if (user && !user.isProvider) return null;
  return (
    <section className={styles['providers']} aria-labelledby="providers">
      <div>
        <h2 id="providers">{t('providersTitle')}</h2>
        <p>{t('providersText')}</p>
      </div>
      <LinkButton to={user ? '/post-ad' : '/signup'} variant="primary">
        {user ? t('common.postAd') : t('common.signUp')}
      </LinkButton>
    </section>
  );
}
