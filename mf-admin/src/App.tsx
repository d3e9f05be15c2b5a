import { HostProvider, type RemoteProps } from '@alpenglow/ui';
import { AdminPage } from './admin-page.tsx';

/** The admin panel. The shell keeps others out, and the API refuses them. */
export default function App({ host }: RemoteProps) {
  return (
    <HostProvider host={host}>
      <AdminPage />
    </HostProvider>
  );
}
