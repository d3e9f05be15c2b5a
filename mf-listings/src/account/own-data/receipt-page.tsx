import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router-dom';
import { ERASURE_STEPS, type ErasureView } from '@alpenglow/domain/contracts';
import {
  Badge,
  Card,
  classNames,
  EmptyState,
  isApiError,
  layout,
  Page,
  PageHeading,
  QueryError,
  Skeleton,
  useApi,
  useLocale,
} from '@alpenglow/ui';
import account from '../account.module.css';
import { useText } from './text.ts';
import styles from './receipt-page.module.css';

const POLL_INTERVAL_ms = 3_000;

/**
 * The page `/account/erasure/{receiptId}` with the progress of an erasure. The receipt id in the URL is sufficient for
 * access, because the account no longer exists.
 */
export default function ReceiptPage() {
  const t = useText();
  const api = useApi();
  const { id = '' } = useParams();
  const receipt = useQuery({
    queryKey: ['erasure', id],
    queryFn: ({ signal }) => api.request<'getErasure'>({ path: `/account/erasure/${encodeURIComponent(id)}`, signal }),
    refetchInterval: ({ state }) => (state.data?.data.status === 'complete' ? false : POLL_INTERVAL_ms),
    retry: false,
  });
  const heading = <PageHeading documentTitle={t('ownData.receipt')}>{t('ownData.receipt')}</PageHeading>;
  if (isApiError(receipt.error) && receipt.error.status === 404)
    return (
      <Page narrow>
        <EmptyState title={heading}>
          <p>{t('ownData.receiptUnknown')}</p>
        </EmptyState>
      </Page>
    );
  const erasure = receipt.data?.data;
  return (
    <Page narrow>
      <div className={account['form']}>
        {heading}
        <p>{t('ownData.receiptText')}</p>
        {receipt.isPending && <Skeleton height="12rem" />}
        {receipt.isError && <QueryError query={receipt} text={t('ownData.receiptFailed')} />}
        {erasure && (
          <Card>
            <Erasure erasure={erasure} />
          </Card>
        )}
      </div>
    </Page>
  );
}

function Erasure({ erasure: { receiptId, requestedAt, status, steps } }: { readonly erasure: ErasureView }) {
  const t = useText();
  const locale = useLocale();
  const time = (at: string) =>
    new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'medium' }).format(new Date(at));
  return (
    <>
      <dl className={classNames(layout['stack4'], styles['facts'])} aria-live="polite">
        <div>
          <dt>{t('ownData.receiptNumber')}</dt>
          <dd>
            <code>{receiptId}</code>
          </dd>
        </div>
        <div>
          <dt>{t('ownData.requestedAt')}</dt>
          <dd>{time(requestedAt)}</dd>
        </div>
        <div>
          <dt>{t('ownData.status')}</dt>
          <dd>
            <Badge tone={status === 'complete' ? 'success' : 'neutral'}>
              {t(status === 'complete' ? 'ownData.complete' : 'ownData.underWay')}
            </Badge>
          </dd>
        </div>
      </dl>
      <ol role="list" className={styles['steps']}>
        {ERASURE_STEPS.map((step) => {
          const at = steps.find((done) => done.step === step)?.at;
          return (
            <li key={step} className={at === undefined ? undefined : styles['done']}>
              {t(`ownData.step.${step}`)}
              <p>{at === undefined ? t('ownData.toCome') : time(at)}</p>
            </li>
          );
        })}
      </ol>
    </>
  );
}
