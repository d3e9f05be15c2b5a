import { useInfiniteQuery } from '@tanstack/react-query';
import { Card, PagedTable, useApi } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { rootsQuery } from './api.ts';
import cards from '../panel/cards.module.css';
import styles from './log-page.module.css';

const COMMAND = 'npm run audit -- verify';

/**
 * Lists the daily root hashes of the moderation log. Auditors store copies of these hashes to detect later changes to
 * the log.
 */
export function RootsCard() {
  const t = useText();
  const roots = useInfiniteQuery(rootsQuery(useApi()));
  return (
    <Card className={styles['roots']}>
      <h2>{t('log.roots')}</h2>
      <p>{t('log.rootsLead')}</p>
      <p>{t('log.verify', { command: COMMAND })}</p>
      <PagedTable
        list={roots}
        failedText={t('log.failed')}
        empty={<p>{t('log.rootsEmpty')}</p>}
        loadingHeight="6rem"
        moreText={t('log.more')}
        moreClassName={cards['more']}
        label={t('log.roots')}
        variant="none"
        className={styles['scroll']}
        getKey={({ day }) => day}
        columns={[
          { head: t('day'), cell: ({ day }) => day },
          { head: t('log.entries'), cell: ({ first, last }) => `${first}–${last}` },
          { head: t('log.root'), cell: ({ root }) => <code>{root}</code> },
        ]}
      />
    </Card>
  );
}
