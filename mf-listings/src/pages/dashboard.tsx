import { AccountSection } from '../account/account-section.tsx';
import { OwnAds } from '../own-ad/own-ads.tsx';
import { useText } from '../text.ts';
import { ProvidersOnly } from '../own-ad/providers-only.tsx';
import { UnverifiedNote } from '../own-ad/unverified-note.tsx';
import { AccountPage } from './account-page.tsx';
import styles from './profile.module.css';

/** The page `/provider-profile` with the provider's ad and the account settings. */
export default function DashboardPage() {
  const t = useText();
  return (
    <AccountPage title={t('dashboard')} lead={({ displayName }) => t('hello', { name: displayName })}>
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
    </AccountPage>
  );
}
