import { useEffect } from 'react';
import { Route, Routes, useLocation, useNavigate } from 'react-router-dom';
import { HostProvider, lazyPage, ReportProvider, UNKNOWN_PATH, type RemoteProps } from '@alpenglow/ui';
import { provideAdPageCode } from './ads/ad-page-code.ts';
import { useLiveCounts } from './lists/use-ad-counts.ts';
import { useCachedLists } from './lists/use-cached-lists.ts';
import { AdPageSkeleton } from './pages/ad-skeleton.tsx';
import { ListingsPage } from './pages/listings.tsx';
import { PageSkeleton } from './pages/page-skeleton.tsx';

// Makes a page lazy, so that its code loads when the page opens. The list is not lazy, because most visits show one.
// The first HTML contains the other public pages and names their files.
const page = (load: Parameters<typeof lazyPage>[0], chunk?: string) => lazyPage(load, <PageSkeleton />, chunk);
const HomePage = page(() => import(/* webpackChunkName: "home" */ './pages/home.tsx'), 'home');
const CityPage = page(() => import(/* webpackChunkName: "city" */ './pages/city.tsx'), 'city');
const loadAdPage = () => import(/* webpackChunkName: "ad-page" */ './pages/ad.tsx');
const AdPage = lazyPage(loadAdPage, <AdPageSkeleton />, 'ad-page');
provideAdPageCode(loadAdPage);
const DashboardPage = page(() => import(/* webpackChunkName: "own" */ './pages/dashboard.tsx'));
const ReceiptPage = page(() => import(/* webpackChunkName: "decisions" */ './account/own-data/receipt-page.tsx'));
const DecisionsPage = page(() => import(/* webpackChunkName: "decisions" */ './decisions/list-page.tsx'));
const StatementPage = page(() => import(/* webpackChunkName: "decisions" */ './decisions/statement-page.tsx'));
const LinkedStatementPage = page(
  () => import(/* webpackChunkName: "decisions" */ './decisions/linked-statement-page.tsx'),
);
const FavoritesPage = page(() => import(/* webpackChunkName: "saved" */ './pages/favorites.tsx'));
const MyAdsPage = page(() => import(/* webpackChunkName: "own" */ './pages/my-ads.tsx'));
const ProfilePage = page(() => import('./pages/profile.tsx'));

/** The pages of this front end: lists of ads, single ads, a provider's own ad, and profiles. */
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
      <Route path="/" element={<Home />} />
      <Route path="*" element={<Home />} />
    </Routes>
  );
}

/**
 * The home page. An unknown path shows it, too, as in the first HTML of the server. The URL then becomes that of the
 * home page, and the shell explains it.
 */
function Home() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const isUnknown = pathname !== '/';
  useEffect(() => {
    if (isUnknown) void navigate('/', { replace: true, state: UNKNOWN_PATH });
  }, [isUnknown, navigate]);
  return <HomePage />;
}
