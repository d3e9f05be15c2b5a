import { useQuery } from '@tanstack/react-query';
import { Badge, Card, classNames, DataTable, QueryView, TimeAgo, useApi, useLocale, type Api } from '@alpenglow/ui';
import { signedInQuery } from '../panel/signed-in-query.ts';
import { useText } from '../text.ts';
import tables from '../panel/table.module.css';
import styles from './overview-page.module.css';

const REFRESH_ms = 10_000;

/** Returns the query for the progress of the checks of published pictures. */
const pictureChecksQuery = (api: Api) => ({
  ...signedInQuery<'getPictureChecks'>(api, ['admin', 'picture-checks'], '/admin/picture-checks'),
  refetchInterval: REFRESH_ms,
});

/** A card with the progress of the checks that follow when a list of pictures has grown. */
export function PictureChecksCard() {
  const t = useText();
  const locale = useLocale();
  const checks = useQuery(pictureChecksQuery(useApi()));
  return (
    <Card className={styles['wide']}>
      <h2>{t('checks.title')}</h2>
      <p>{t('checks.lead')}</p>
      <QueryView query={checks} failedText={t('checks.loadFailed')} isPolled>
        {({ data }) =>
          data.length === 0 ? (
            <p>{t('checks.none')}</p>
          ) : (
            <DataTable
              label={t('checks.title')}
              variant="none"
              className={classNames(tables['table'], styles['table'])}
              rows={data}
              getKey={({ name }) => name}
              columns={[
                { head: t('checks.check'), cell: ({ name }) => t(`checks.name.${name}`) },
                {
                  head: t('checks.state'),
                  cell: ({ isRunning }) => (
                    <Badge tone={isRunning ? 'accent' : 'success'}>
                      {t(isRunning ? 'checks.running' : 'checks.done')}
                    </Badge>
                  ),
                },
                {
                  head: t('checks.progress'),
                  cell: ({ done, total }) => t('checks.count', { done, total }),
                },
                { head: t('checks.failed'), cell: ({ failed }) => failed.toLocaleString(locale) },
                { head: t('checks.since'), cell: ({ since }) => <TimeAgo at={since} /> },
              ]}
            />
          )
        }
      </QueryView>
    </Card>
  );
}
