import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router-dom';
import { Card, LinkButton, useApi, useUser } from '@alpenglow/ui';
import { AdSnapshot } from './ad-snapshot.tsx';
import { adAsOfQuery } from './api.ts';
import { HistoryFrame } from './history-frame.tsx';
import { RankCard } from './rank-card.tsx';
import { useText } from '../text.ts';
import { useSelectedTimes } from './use-selected-times.ts';

/** The page `/admin/ads/:id`. It shows the events of an ad, and the state and the rank of the ad at any time. */
export default function AdHistoryPage() {
  const { id = '' } = useParams();
  const t = useText();
  const user = useUser();
  const [moments, setMoments] = useSelectedTimes();
  const asOf = useQuery(adAsOfQuery(useApi(), id, moments));
  const ownerId = asOf.data?.data.ownerId;
  return (
    <HistoryFrame
      kind="ad"
      id={id}
      name={asOf.data?.data.ad?.title}
      parents={user?.isAdmin ? [{ label: t('nav.ads'), to: '/admin/ads' }] : []}
      asOf={asOf}
      times={moments}
      onTimesChange={setMoments}
      actions={
        user?.isAdmin &&
        ownerId !== undefined && <LinkButton to={`/admin/users/${ownerId}/history`}>{t('history.toOwner')}</LinkButton>
      }
    >
      {({ ad }) => (
        <>
          <Card>
            <h2>{t('history.asItStood')}</h2>
            {ad === null ? <p>{t('history.notPosted')}</p> : <AdSnapshot ad={ad} />}
          </Card>
          <RankCard id={id} at={moments.at} />
        </>
      )}
    </HistoryFrame>
  );
}
