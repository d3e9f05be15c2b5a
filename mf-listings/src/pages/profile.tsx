import { Navigate } from 'react-router-dom';
import { AccountSection } from '../account/account-section.tsx';
import { FavoriteAds } from '../favorites/favorite-ads.tsx';
import { useText } from '../text.ts';
import { OwnPage, UnverifiedNote } from './own-page.tsx';
import styles from './profile.module.css';

/** On one line at the widest. */
const FEW_FAVORITES = 5;

/** `/profile`: a client's favorites and account. Providers have their dashboard instead (specification, section 2). */
export default function ProfilePage() {
  const t = useText();
  return (
    <OwnPage title={t('profile')} lead={({ displayName }) => t('hello', { name: displayName })}>
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
    </OwnPage>
  );
}
