import { OwnAds } from '../own-ad/own-ads.tsx';
import { useText } from '../text.ts';
import { ProvidersOnly } from '../own-ad/providers-only.tsx';
import { UnverifiedNote } from '../own-ad/unverified-note.tsx';
import { AccountPage } from './account-page.tsx';

/** The page `/my-ads` with the ads of the signed-in provider. */
export default function MyAdsPage() {
  const t = useText();
  return (
    <AccountPage title={t('myAds')}>
      {(user) =>
        user.isProvider ? (
          <>
            <UnverifiedNote user={user} />
            <OwnAds userId={user.id} />
          </>
        ) : (
          <ProvidersOnly />
        )
      }
    </AccountPage>
  );
}
