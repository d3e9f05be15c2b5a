import { AccountSection } from '../account/account-section.tsx';
import { OwnAds } from '../own-ad/own-ads.tsx';
import { useText } from '../text.ts';
import { OwnPage, ProvidersOnly, UnverifiedNote } from './own-page.tsx';
import styles from './profile.module.css';

/** `/provider-profile`: the one ad first, the account below it. */
export default function DashboardPage() {
  const t = useText();
  return (
    <OwnPage title={t('dashboard')} lead={({ displayName }) => t('hello', { name: displayName })}>
      {(user) =>
        user.isProvider ? (
          <div className={styles['profile']}>
            <div>
              <UnverifiedNote user={user} />
              <OwnAds userId={user.id} />
            </div>
            <AccountSection user={user} />
          </div>
        ) : (
          <ProvidersOnly />
        )
      }
    </OwnPage>
  );
}
