import { listingsMessages as text, Page, PageHeading, useUser } from '@alpenglow/ui';
import { FavoriteAds } from '../favorites/favorite-ads.tsx';
import styles from './own-page.module.css';

/** `/favorites`: of the signed-in client, or of whoever sits at this browser. */
export default function FavoritesPage() {
  const user = useUser();
  return (
    <Page>
      <div className={styles['head']}>
        <PageHeading documentTitle={text.favorites}>{text.favorites}</PageHeading>
        <p>{user?.isProvider ? text.onlyClientsFavorite : text.favoritesText}</p>
      </div>
      {!user?.isProvider && <FavoriteAds />}
    </Page>
  );
}
