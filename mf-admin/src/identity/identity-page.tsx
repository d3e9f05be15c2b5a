import { useInfiniteQuery } from '@tanstack/react-query';
import { EmptyState, Page, PagedList, useApi } from '@alpenglow/ui';
import { PageIntro } from '../panel/page-intro.tsx';
import { useText } from '../text.ts';
import { identityChecksQuery } from './api.ts';
import { CheckCard } from './check-card.tsx';
import cards from '../panel/cards.module.css';
import styles from './identity-page.module.css';

/** The page `/admin/identity`, which lists the identity verification requests of providers. */
export default function IdentityPage() {
  const t = useText();
  const list = useInfiniteQuery(identityChecksQuery(useApi()));
  return (
    <Page>
      <PageIntro title={t('identity.title')}>{t('identity.lead')}</PageIntro>
      <PagedList
        list={list}
        failedText={t('identity.failed')}
        empty={<EmptyState title={t('identity.none')} />}
        loadingHeight="12rem"
        moreText={t('identity.more')}
        moreClassName={cards['more']}
      >
        {(checks) => (
          <div className={styles['checks']}>
            {checks.map((check) => (
              <CheckCard key={check.accountId} check={check} />
            ))}
          </div>
        )}
      </PagedList>
    </Page>
  );
}
