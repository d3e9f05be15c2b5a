import { Route, Routes } from 'react-router-dom';
import { HostProvider, lazyPage, Page, ReportProvider, Skeleton, type RemoteProps } from '@alpenglow/ui';
import { BlogEntryPage, BlogPage } from './blog/pages.tsx';
import { CommunityPage } from './pages/community.tsx';
import { LocationsPage } from './pages/locations.tsx';
import { PlacePage } from './pages/place.tsx';
import { ThreadSkeleton } from './thread/thread-skeleton.tsx';

const loading = (
  <Page>
    <Skeleton width="16rem" height="2.5rem" />
  </Page>
);

// Lists are the usual entry pages, so they are in the chunk that is loaded first. Thread pages are larger, so they are
// loaded when they are opened.
const ThreadPage = lazyPage(
  () => import(/* webpackChunkName: "thread" */ './pages/thread.tsx'),
  <ThreadSkeleton />,
  'thread',
);
const UnsubscribePage = lazyPage(() => import('./own/unsubscribe.tsx'), loading);

/** The pages of community and blog. */
export default function App({ host }: RemoteProps) {
  return (
    <HostProvider host={host} fallback={loading}>
      <ReportProvider>
        <Routes>
          <Route path="/blog" element={<BlogPage />} />
          <Route path="/blog/:citySlug" element={<BlogEntryPage />} />
          <Route path="/community/locations" element={<LocationsPage />} />
          <Route path="/community/unsubscribe" element={<UnsubscribePage />} />
          <Route path="/community/:country/:state/:city/:slug" element={<ThreadPage />} />
          <Route path="/community/:country/:state/:city" element={<PlacePage />} />
          <Route path="/community/:country/:state" element={<PlacePage />} />
          <Route path="/community/:idOrCountry" element={<PlacePage />} />
          <Route path="*" element={<CommunityPage />} />
        </Routes>
      </ReportProvider>
    </HostProvider>
  );
}
