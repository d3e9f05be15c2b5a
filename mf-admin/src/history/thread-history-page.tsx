import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router-dom';
import { Card, useApi } from '@alpenglow/ui';
import { threadAsOfQuery } from './api.ts';
import { HistoryFrame } from './history-frame.tsx';
import { useText } from '../text.ts';
import { ThreadSnapshot } from './thread-snapshot.tsx';
import { useSelectedTimes } from './use-selected-times.ts';

/**
 * The page `/admin/threads/:id`. It shows the events of a thread and its posts, and the state of the thread at any
 * time.
 */
export default function ThreadHistoryPage() {
  const { id = '' } = useParams();
  const t = useText();
  const [moments, setMoments] = useSelectedTimes();
  const [from, setFrom] = useState(0);
  const asOf = useQuery(threadAsOfQuery(useApi(), id, moments, from));
  return (
    <HistoryFrame kind="thread" id={id} asOf={asOf} times={moments} onTimesChange={setMoments}>
      {({ thread }) => (
        <Card>
          <h2>{t('history.asItStood')}</h2>
          {thread === null ? (
            <p>{t('history.notStarted')}</p>
          ) : (
            <ThreadSnapshot thread={thread} from={from} onFromChange={setFrom} />
          )}
        </Card>
      )}
    </HistoryFrame>
  );
}
