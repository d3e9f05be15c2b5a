import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router-dom';
import type { AccountSnapshotView } from '@alpenglow/domain/contracts';
import { Badge, Card, LinkButton, useApi } from '@alpenglow/ui';
import { accountAsOfQuery } from './api.ts';
import { FactList } from './fact-list.tsx';
import { HistoryFrame } from './history-frame.tsx';
import { useText } from '../text.ts';
import { useSelectedTimes } from './use-selected-times.ts';
import styles from './history.module.css';

/** The page `/admin/users/:id/history`. It shows the events of an account, and the state of the account at any time. */
export default function AccountHistoryPage() {
  const { id = '' } = useParams();
  const t = useText();
  const [moments, setMoments] = useSelectedTimes();
  const asOf = useQuery(accountAsOfQuery(useApi(), id, moments));
  return (
    <HistoryFrame
      kind="account"
      id={id}
      parents={[{ label: t('nav.users'), to: '/admin/users' }]}
      asOf={asOf}
      times={moments}
      onTimesChange={setMoments}
      actions={<LinkButton to={`/admin/users/${id}`}>{t('history.toUser')}</LinkButton>}
    >
      {({ account }) => (
        <Card>
          <h2>{t('history.asItStood')}</h2>
          {account === null ? <p>{t('history.notRegistered')}</p> : <Account account={account} />}
        </Card>
      )}
    </HistoryFrame>
  );
}

function Account({ account }: { readonly account: AccountSnapshotView }) {
  const t = useText();
  const { status, isErased, ...facts } = account;
  return (
    <>
      <p className={styles['badges']}>
        <Badge tone={status === 'open' ? 'success' : 'neutral'}>{t(`value.${status}`)}</Badge>
        {isErased && <Badge tone="danger">{t('field.isErased')}</Badge>}
      </p>
      <FactList facts={Object.entries(facts)} />
    </>
  );
}
