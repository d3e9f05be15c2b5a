import { listingsMessages as text } from '@alpenglow/ui';
import { OwnAds } from '../own-ad/own-ads.tsx';
import { OwnPage, ProvidersOnly } from './own-page.tsx';

/** `/my-ads`. */
export default function MyAdsPage() {
  return <OwnPage title={text.myAds}>{(user) => (user.isProvider ? <OwnAds userId={user.id} /> : <ProvidersOnly />)}</OwnPage>;
}
