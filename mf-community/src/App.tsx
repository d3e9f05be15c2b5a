import { Route, Routes } from 'react-router-dom';
import { HostProvider, Page, Skeleton, type RemoteProps } from '@alpenglow/ui';
import { BlogPage } from './pages/blog.tsx';
import { CommunityPage } from './pages/community.tsx';
import { LocationsPage } from './pages/locations.tsx';
import { PlacePage } from './pages/place.tsx';
import { PostPage } from './pages/post.tsx';

const loading = (
  <Page>
    <Skeleton width="16rem" height="2.5rem" />
  </Page>
);

/** Community and blog (specification, section 2). */
export default function App({ host }: RemoteProps) {
  return (
    <HostProvider host={host} fallback={loading}>
      <Routes>
        <Route path="/blog" element={<BlogPage />} />
        <Route path="/blog/:citySlug" element={<BlogPage />} />
        <Route path="/community/locations" element={<LocationsPage />} />
        <Route path="/community/:country/:state/:city/:slug" element={<PostPage />} />
        <Route path="/community/:country/:state/:city" element={<PlacePage />} />
        <Route path="/community/:country/:state" element={<PlacePage />} />
        <Route path="/community/:idOrCountry" element={<PlacePage />} />
        <Route path="*" element={<CommunityPage />} />
      </Routes>
    </HostProvider>
  );
}
