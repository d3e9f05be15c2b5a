import { Route, Routes } from 'react-router-dom';
import { HostProvider, lazyPage, ReportProvider, type RemoteProps } from '@alpenglow/ui';
import { useLiveCounts } from './lists/use-ad-counts.ts';
import { useCachedLists } from './lists/use-cached-lists.ts';
import { AdPageSkeleton } from './pages/ad-skeleton.tsx';
import { CityPage } from './pages/city.tsx';
import { HomePage } from './pages/home.tsx';
import { ListingsPage } from './pages/listings.tsx';
import { PageSkeleton } from './pages/page-skeleton.tsx';

// Home and lists are what visitors land on, so they come with the entry; the rest comes when it is asked for.
const AdPage = lazyPage(() => import('./pages/ad.tsx'), <AdPageSkeleton />);
const DashboardPage = lazyPage(() => import('./pages/dashboard.tsx'), <PageSkeleton />);
const ReceiptPage = lazyPage(
  () => import(/* webpackChunkName: "receipt" */ './account/own-data/receipt-page.tsx'),
  <PageSkeleton />,
);
const DecisionsPage = lazyPage(
  () => import(/* webpackChunkName: "decisions" */ './decisions/list-page.tsx'),
  <PageSkeleton />,
);
const StatementPage = lazyPage(
  () => import(/* webpackChunkName: "decisions" */ './decisions/statement-page.tsx'),
  <PageSkeleton />,
);
const LinkedStatementPage = lazyPage(
  () => import(/* webpackChunkName: "decisions" */ './decisions/linked-statement-page.tsx'),
  <PageSkeleton />,
);
const FavoritesPage = lazyPage(() => import('./pages/favorites.tsx'), <PageSkeleton />);
const MyAdsPage = lazyPage(() => import('./pages/my-ads.tsx'), <PageSkeleton />);
const ProfilePage = lazyPage(() => import('./pages/profile.tsx'), <PageSkeleton />);

/** Browsing, an ad's page, a provider's own ad, profiles (specification, section 2). */
export default function App({ host }: RemoteProps) {
  return (
    <HostProvider host={host}>
      <ReportProvider>
        <Pages />
      </ReportProvider>
    </HostProvider>
  );
}

function Pages() {
  useCachedLists();
  useLiveCounts();
  return (
    <Routes>
      <Route path="/listings" element={<ListingsPage />} />
      <Route path="/city/:city" element={<CityPage />} />
      <Route path="/city/:state/:city" element={<CityPage />} />
      <Route path="/escorts/:state/:city/:slug/:id" element={<AdPage />} />
      <Route path="/ad/:id" element={<AdPage />} />
      <Route path="/public-ad/:id" element={<AdPage />} />
      <Route path="/provider-ad/:id" element={<AdPage />} />
      <Route path="/my-ads" element={<MyAdsPage />} />
      <Route path="/provider-profile" element={<DashboardPage />} />
      <Route path="/profile" element={<ProfilePage />} />
      <Route path="/favorites" element={<FavoritesPage />} />
      <Route path="/account/erasure/:id" element={<ReceiptPage />} />
      <Route path="/account/decisions" element={<DecisionsPage />} />
      <Route path="/account/decisions/:id" element={<StatementPage />} />
      <Route path="/decisions/:id" element={<LinkedStatementPage />} />
      <Route path="*" element={<HomePage />} />
    </Routes>
  );
}
