import { Navigate } from 'react-router-dom';
import { Badge, Card, listingsMessages as text } from '@alpenglow/ui';
import { FavoriteAds } from '../favorites/favorite-ads.tsx';
import { OwnPage, UnverifiedNote } from './own-page.tsx';
import styles from './profile.module.css';

/** `/profile`: who the user is, and their favorites. Providers have their dashboard instead (specification, section 2). */
export default function ProfilePage() {
  return (
    <OwnPage title={text.profile}>
      {(user) =>
        user.isProvider ? (
          <Navigate to="/provider-profile" replace />
        ) : (
          <div className={styles['profile']}>
            <UnverifiedNote user={user} />
            <Card>
              <h2>{user.displayName}</h2>
              <dl className={styles['facts']}>
                <dt>{text.email}</dt>
                <dd>
                  {user.email} <Badge tone={user.isEmailVerified ? 'success' : 'neutral'}>{user.isEmailVerified ? text.emailConfirmed : text.emailUnconfirmed}</Badge>
                </dd>
                <dt>{text.accountType}</dt>
                <dd>{text.accountTypes[user.userType]}</dd>
              </dl>
            </Card>
            <section className={styles['favorites']} aria-labelledby="favorites">
              <h2 id="favorites">{text.favorites}</h2>
              <p>{text.favoritesText}</p>
              <FavoriteAds />
            </section>
          </div>
        )
      }
    </OwnPage>
  );
}
