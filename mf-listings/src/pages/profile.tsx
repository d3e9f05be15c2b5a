import { Navigate } from 'react-router-dom';
import { AccountSection } from '../account/account-section.tsx';
import { FavoriteAds } from '../favorites/favorite-ads.tsx';
import { useText } from '../text.ts';
import { UnverifiedNote } from '../own-ad/unverified-note.tsx';
import { AccountPage } from './account-page.tsx';
import styles from './profile.module.css';

/** The number of favorites that the profile shows. It is the number of ad cards in a row on wide screens. */
const FEW_FAVORITES = 5;

/**
 * The page `/profile` with the favorites and the account settings of a client. Providers are redirected to their own
 * profile page.
 */
export default function ProfilePage() {
  const t = useText();
  return (
    <AccountPage title={t('profile')} lead={({ displayName }) => t('hello', { name: displayName })}>
      {(user) =>
        user.isProvider ? (
          <Navigate to="/provider-profile" replace />
        ) : (
          <>
            <UnverifiedNote user={user} />
            <div className={styles['profile']}>
              <section className={styles['favorites']} aria-labelledby="favorites">
                <h2 id="favorites">{t('favorites')}</h2>
                <FavoriteAds few={FEW_FAVORITES} />
              </section>
              <AccountSection user={user} />
            </div>
          </>
        )
      }
    </AccountPage>
  );
}
