import { Card, EmptyState, Page, PageHeading, useUser } from '@alpenglow/ui';
import { HealthCard } from './health-card.tsx';
import { SyncCard } from './sync-card.tsx';
import { useText } from './text.ts';
import styles from './admin-page.module.css';

/** `/admin`. */
export function AdminPage() {
  const t = useText();
  const user = useUser();
  if (!user?.isAdmin) {
    return (
      <Page>
        <EmptyState title={<PageHeading documentTitle={t('title')}>{t('forAdmins')}</PageHeading>}>
          <p>{t('forAdminsText')}</p>
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page>
      <header className={styles['head']}>
        <PageHeading documentTitle={t('title')}>{t('title')}</PageHeading>
        <p>{t('lead')}</p>
      </header>
      <div className={styles['cards']}>
        <HealthCard />
        <Card>
          <h2>{t('notYetTitle')}</h2>
          <p>{t('notYetText')}</p>
        </Card>
        <SyncCard />
      </div>
    </Page>
  );
}
