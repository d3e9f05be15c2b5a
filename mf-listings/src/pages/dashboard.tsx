import { fill, listingsMessages as text } from '@alpenglow/ui';
import { OwnAds } from '../own-ad/own-ads.tsx';
import { OwnPage, ProvidersOnly, UnverifiedNote } from './own-page.tsx';

/** `/provider-profile`. */
export default function DashboardPage() {
  return (
    <OwnPage title={text.dashboard} lead={({ displayName }) => fill(text.hello, { name: displayName })}>
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
