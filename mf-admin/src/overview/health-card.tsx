import { useQuery } from '@tanstack/react-query';
import { Badge, Card, ErrorBox, messageOf, useApi } from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { useText } from '../text.ts';
import styles from './overview-page.module.css';

const REFRESH_ms = 10_000;

/** Whether the API answers, and in which version. */
export function HealthCard() {
  const t = useText();
  const api = useApi();
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => api.health(signal),
    refetchInterval: REFRESH_ms,
  });
  return (
    <Card>
      <h2>{t('health')}</h2>
      {health.isPending && <Loading />}
      {health.data && (
        <p className={styles['line']}>
          <Badge tone={health.data.success ? 'success' : 'danger'}>
            {health.data.success ? t('healthy') : t('unhealthy')}
          </Badge>
          {health.data.version !== undefined && <span>{t('version', { version: health.data.version })}</span>}
        </p>
      )}
      {health.isError && (
        <ErrorBox message={messageOf(health.error, t('unhealthy'))} onRetry={() => void health.refetch()} />
      )}
    </Card>
  );
}
