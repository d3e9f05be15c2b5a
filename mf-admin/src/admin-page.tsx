import { useQuery } from '@tanstack/react-query';
import {
  adminMessages as text,
  apiMessages,
  Badge,
  Card,
  EmptyState,
  ErrorBox,
  fill,
  fillCount,
  messageOf,
  Page,
  PageHeading,
  Skeleton,
  useApi,
  useUser,
  VisuallyHidden,
  commonMessages,
} from '@alpenglow/ui';
import styles from './admin-page.module.css';

const REFRESH_ms = 10_000;

export function AdminPage() {
  const user = useUser();
  if (!user?.isAdmin) {
    return (
      <Page>
        <EmptyState title={<PageHeading documentTitle={text.title}>{text.forAdmins}</PageHeading>}>
          <p>{text.forAdminsText}</p>
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page>
      <header className={styles['head']}>
        <PageHeading documentTitle={text.title}>{text.title}</PageHeading>
        <p>{text.lead}</p>
      </header>
      <div className={styles['cards']}>
        <Health />
        <Sync />
        <Card>
          <h2>{text.notYetTitle}</h2>
          <p>{text.notYetText}</p>
        </Card>
      </div>
    </Page>
  );
}

function Loading() {
  return (
    <div role="status">
      <VisuallyHidden>{commonMessages.loading}</VisuallyHidden>
      <Skeleton height="3rem" />
    </div>
  );
}

function Health() {
  const api = useApi();
  const health = useQuery({ queryKey: ['health'], queryFn: ({ signal }) => api.health(signal), refetchInterval: REFRESH_ms });
  return (
    <Card>
      <h2>{text.health}</h2>
      {health.data && (
        <p>
          <Badge tone={health.data.success ? 'success' : 'danger'}>{health.data.success ? text.healthy : text.unhealthy}</Badge>{' '}
          {health.data.version !== undefined && fill(text.version, { version: health.data.version })}
        </p>
      )}
      {health.isPending && <Loading />}
      {health.isError && <ErrorBox message={messageOf(health.error, text.unhealthy)} onRetry={() => void health.refetch()} />}
    </Card>
  );
}

function Sync() {
  const api = useApi();
  const sync = useQuery({ queryKey: ['sync'], queryFn: ({ signal }) => api.syncStatus(signal), refetchInterval: REFRESH_ms });
  const projections = sync.data?.data.projections;
  return (
    <Card className={styles['wide']}>
      <h2>{text.sync}</h2>
      {sync.isPending && <Loading />}
      {sync.isError && <ErrorBox message={messageOf(sync.error, apiMessages.syncStatusFailed)} onRetry={() => void sync.refetch()} />}
      {projections !== undefined && (
        <div className={styles['scroll']} role="region" aria-label={text.sync} tabIndex={0}>
          <table className={styles['table']}>
            <thead>
              <tr>
                <th scope="col">{text.projection}</th>
                <th scope="col">{text.state}</th>
                <th scope="col">{text.lag}</th>
                <th scope="col">{text.position}</th>
              </tr>
            </thead>
            <tbody>
              {projections.map(({ name, state, lag, position }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{state}</td>
                  <td>{fillCount(lag, text.lagUnit)}</td>
                  <td>{position}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}
