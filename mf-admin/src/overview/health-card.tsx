import { useQuery } from '@tanstack/react-query';
import { Badge, Card, classNames, getHealth, layout, QueryView, useApi } from '@alpenglow/ui';
import { useText } from '../text.ts';

const REFRESH_ms = 10_000;

/** Shows whether the API responds, and the version of the API. */
export function HealthCard() {
  const t = useText();
  const api = useApi();
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => getHealth(api, signal),
    refetchInterval: REFRESH_ms,
  });
  return (
    <Card>
      <h2>{t('health')}</h2>
      <QueryView query={health} failedText={t('unhealthy')}>
        {({ success, version }) => (
          <p className={classNames(layout['row3'], layout['centered'])}>
            <Badge tone={success ? 'success' : 'danger'}>{success ? t('healthy') : t('unhealthy')}</Badge>
            {version !== undefined && <span>{t('version', { version })}</span>}
          </p>
        )}
      </QueryView>
    </Card>
  );
}
