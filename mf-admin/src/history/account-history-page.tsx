import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router-dom';
import type { AccountAsOfView } from '@alpenglow/domain/contracts';
import { Badge, Card, LinkButton, useApi } from '@alpenglow/ui';
import { accountAsOfQuery } from './calls.ts';
import { FactList } from './fact-list.tsx';
import { HistoryFrame } from './history-frame.tsx';
import { useText } from './text.ts';
import { useMoments } from './use-moments.ts';
import styles from './history.module.css';

/** `/admin/users/:id/history`: an account as it stood at any moment, and all that happened to it. */
export default function AccountHistoryPage() {
  const { id = '' } = useParams();
  const t = useText();
  const api = useApi();
  const [moments, setMoments] = useMoments();
  const asOf = useQuery(accountAsOfQuery(api, id, moments));
  return (
    <HistoryFrame
      kind="account"
      id={id}
      title={t('history.ofAccount')}
      trail={[
        { label: t('history.admin'), to: '/admin' },
        { label: t('history.users'), to: '/admin/users' },
      ]}
      asOf={asOf}
      moments={moments}
      onMoments={setMoments}
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

function Account({ account }: { readonly account: AccountAsOfView }) {
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
