import { Page, PageHeading, useHost } from '@alpenglow/ui';
import { FavoriteAds } from '../favorites/favorite-ads.tsx';
import { useText } from '../text.ts';
import styles from './own-page.module.css';

/** The page `/favorites`, which shows the favorites of a client or of a guest. */
export default function FavoritesPage() {
  const t = useText();
  const { session } = useHost();
  const user = session.state === 'authenticated' ? session.user : null;
  const isProvider = user?.isProvider === true;
  const lead = user ? t('favoritesTextClient') : t('favoritesText');
  return (
    <Page>
      <div className={styles['head']}>
        <PageHeading documentTitle={t('favorites')}>{t('favorites')}</PageHeading>
        {session.state !== 'unknown' && <p>{isProvider ? t('onlyClientsFavorite') : lead}</p>}
      </div>
      {!isProvider && <FavoriteAds />}
    </Page>
  );
}
