import { OwnAds } from '../own-ad/own-ads.tsx';
import { useText } from '../text.ts';
import { OwnPage, ProvidersOnly, UnverifiedNote } from './own-page.tsx';

/** `/my-ads`. */
export default function MyAdsPage() {
  const t = useText();
  return (
    <OwnPage title={t('myAds')}>
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
    </OwnPage>
  );
}
