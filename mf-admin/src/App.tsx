import { HostProvider, Page, Skeleton, type RemoteProps } from '@alpenglow/ui';
import { AdminPage } from './admin-page.tsx';

const loading = (
  <Page>
    <Skeleton width="16rem" height="2.5rem" />
  </Page>
);

/** The admin panel. The shell keeps others out, and the API refuses them. */
export default function App({ host }: RemoteProps) {
  return (
    <HostProvider host={host} fallback={loading}>
      <AdminPage />
    </HostProvider>
  );
}
