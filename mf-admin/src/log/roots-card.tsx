import { useInfiniteQuery } from '@tanstack/react-query';
import { Button, Card, ErrorBox, messageOf, useApi } from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { DataTable } from '../panel/data-table.tsx';
import { rootsQuery } from './calls.ts';
import { useText } from './text.ts';
import styles from './log-page.module.css';

const COMMAND = 'npm run audit -- verify';

/** The roots of the days that are over, to be kept elsewhere. */
export function RootsCard() {
  const t = useText();
  const api = useApi();
  const roots = useInfiniteQuery(rootsQuery(api));
  const days = roots.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Card className={styles['roots']}>
      <h2>{t('log.roots')}</h2>
      <p>{t('log.rootsLead')}</p>
      <p>{t('log.verify', { command: COMMAND })}</p>
      {roots.isPending && <Loading height="6rem" />}
      {roots.isError && (
        <ErrorBox message={messageOf(roots.error, t('log.failed'))} onRetry={() => void roots.refetch()} />
      )}
      {roots.isSuccess && days.length === 0 && <p>{t('log.rootsEmpty')}</p>}
      {days.length > 0 && (
        <DataTable
          label={t('log.roots')}
          columns={[t('log.day'), t('log.entries'), t('log.root')]}
          className={styles['scroll']}
        >
          {days.map(({ day, first, last, root }) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              <td>
                {first}–{last}
              </td>
              <td>
                <code>{root}</code>
              </td>
            </tr>
          ))}
        </DataTable>
      )}
      {roots.hasNextPage && (
        <Button busy={roots.isFetchingNextPage} onClick={() => void roots.fetchNextPage()}>
          {t('log.more')}
        </Button>
      )}
    </Card>
  );
}
