import { useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router-dom';
import { STATES } from '@alpenglow/domain/contracts';
import {
  adListQuery,
  apiMessages,
  Button,
  commonMessages,
  EmptyState,
  ErrorBox,
  Field,
  fill,
  LinkButton,
  listingsMessages as text,
  messageOf,
  Page,
  PageHeading,
  useApi,
  useUser,
} from '@alpenglow/ui';
import { AdGrid, AdGridSkeleton } from '../ads/ad-grid.tsx';
import { cardsOf } from '../lists/ad-pages.ts';
import { CategorySelect } from '../lists/category-select.tsx';
import { Cities } from '../lists/cities.tsx';
import { NO_FILTER, searchOf } from '../lists/filters.ts';
import { PlaceSelect } from '../lists/place-select.tsx';
import { useLiveList } from '../lists/use-live-list.ts';
import styles from './home.module.css';

const FRESH_ADS = 10;
const EVERYTHING = {};

export function HomePage() {
  return (
    <>
      <Hero />
      <Page>
        <FreshAds />
        <section className={styles['section']} aria-labelledby="cities">
          <div className={styles['sectionHead']}>
            <h2 id="cities">{text.citiesTitle}</h2>
            <p>{fill(text.citiesText, { states: STATES.length, cities: STATES.reduce((sum, { cities }) => sum + cities.length, 0) })}</p>
          </div>
          <Cities />
        </section>
        <section className={styles['section']} aria-labelledby="safe">
          <div className={styles['sectionHead']}>
            <h2 id="safe">{text.safeTitle}</h2>
          </div>
          <div className={styles['safe']}>
            {text.safe.map((point) => (
              <div key={point.title}>
                <h3>{point.title}</h3>
                <p>{point.text}</p>
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
  const navigate = useNavigate();
  const [filter, setFilter] = useState(NO_FILTER);
  return (
    <section className={styles['hero']}>
      <svg className={styles['ridges']} viewBox="0 0 1440 320" preserveAspectRatio="xMidYMax slice" aria-hidden="true" focusable="false">
        <path className={styles['far']} d="M0 176 90 138l80 34 120-92 66 48 96-74 132 108 88-40 142 92 110-66 122 84 118-108 96 62 92-48 88 40v138H0Z" />
        <path className={styles['middle']} d="M0 236 130 176l96 40 148-96 118 84 92-36 160 72 126-94 148 106 110-52 142 44 88-40 82 30v86H0Z" />
        <path className={styles['near']} d="M0 280 160 232l140 34 172-60 186 70 150-38 186 52 158-66 148 56 140-34v74H0Z" />
      </svg>
      <div className={styles['heroInner']}>
        <PageHeading>{text.heroTitle}</PageHeading>
        <p className={styles['lead']}>{text.heroText}</p>
        <search>
          <form
            className={styles['searchBox']}
            onSubmit={(event) => {
              event.preventDefault();
              void navigate(`/listings${searchOf(filter)}`);
            }}
          >
            <Field label={text.place}>
              <PlaceSelect value={filter} onChange={(place) => setFilter({ ...filter, ...place })} />
            </Field>
            <Field label={text.category}>
              <CategorySelect value={filter.category} onChange={(category) => setFilter({ ...filter, category })} />
            </Field>
            <Button type="submit" variant="primary">
              {text.heroSearch}
            </Button>
          </form>
        </search>
      </div>
    </section>
  );
}

/** The newest of all ads, kept so while the page stands. */
function FreshAds() {
  const api = useApi();
  const list = useInfiniteQuery(adListQuery(api, EVERYTHING));
  useLiveList(EVERYTHING, list.data, true);
  const cards = cardsOf(list.data).slice(0, FRESH_ADS);
  return (
    <section aria-labelledby="fresh">
      <div className={styles['sectionHead']}>
        <div>
          <h2 id="fresh">{text.freshTitle}</h2>
          <p>{text.freshText}</p>
        </div>
        <LinkButton to="/listings">{text.seeAll}</LinkButton>
      </div>
      <div className={styles['fresh']}>
        {list.isPending ? (
          <AdGridSkeleton count={FRESH_ADS} />
        ) : cards.length > 0 ? (
          <AdGrid ads={cards} label={text.freshTitle} />
        ) : list.isError ? (
          <ErrorBox message={messageOf(list.error, apiMessages.adsFailed)} onRetry={() => void list.refetch()} />
        ) : (
          <EmptyState title={<h3>{text.emptyTitle}</h3>}>{text.emptyAll}</EmptyState>
        )}
      </div>
    </section>
  );
}

function ForProviders() {
  const user = useUser();
  if (user && !user.isProvider) return null;
  return (
    <section className={styles['providers']} aria-labelledby="providers">
      <div>
        <h2 id="providers">{text.providersTitle}</h2>
        <p>{text.providersText}</p>
      </div>
      <LinkButton to={user ? '/post-ad' : '/signup'} variant="primary">
        {user ? commonMessages.postAd : commonMessages.signUp}
      </LinkButton>
    </section>
  );
}
