import { useQuery } from '@tanstack/react-query';
import type { ResponseOf, UserView } from '@alpenglow/domain/contracts';
import { Badge, classNames, layout, QueryError, serverText, Skeleton, useApi, useLocale } from '@alpenglow/ui';
import { identityQuery } from './api.ts';
import { IdentityForm } from './identity-form.tsx';
import { useText } from './text.ts';
import account from '../account.module.css';
import styles from './identity.module.css';

type Check = ResponseOf<'getIdentityCheck'>['data'];

const TONES = { none: 'neutral', open: 'accent', accepted: 'success', refused: 'danger' } as const;

/** The section about the verification of a provider, with explanation, status and request form. */
export function IdentitySection({ user }: { readonly user: UserView }) {
  const t = useText();
  const api = useApi();
  const query = useQuery(identityQuery(api, user.id));
  const check = query.data;
  const status = check === undefined ? null : statusOf(check, user);
  return (
    <section className={account['form']} aria-labelledby="identity">
      <h3 id="identity" className={classNames(layout['row2'], layout['centered'])}>
        {t('identity.title')} {status !== null && <Badge tone={TONES[status]}>{t(`identity.${status}`)}</Badge>}
      </h3>
      <p>{t('identity.text')}</p>
      <p>{t('identity.privacy')}</p>
      {query.isPending && <Skeleton height="6rem" />}
      {query.isLoadingError && <QueryError query={query} text={t('identity.failed')} />}
      {status === 'accepted' && <p>{t('identity.acceptedText')}</p>}
      {check && status === check.status && status !== 'accepted' && <CheckStatus check={check} />}
      {(status === 'none' || status === 'refused') &&
        (user.isEmailVerified ? <IdentityForm viewer={user.id} /> : <p>{t('identity.needsEmail')}</p>)}
    </section>
  );
}

/**
 * Returns the verification status to show. An open request has priority over the information that the provider is
 * already verified.
 */
function statusOf(check: Check, { verified }: UserView): keyof typeof TONES {
  if (check?.status === 'open') return 'open';
  return verified ? 'accepted' : (check?.status ?? 'none');
}

function CheckStatus({ check: { status, requestedAt, decidedAt, reason } }: { readonly check: NonNullable<Check> }) {
  const t = useText();
  const locale = useLocale();
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(new Date(decidedAt ?? requestedAt));
  if (status === 'open') return <p>{t('identity.openText', { date })}</p>;
  return (
    <>
      <p>{t('identity.refusedText', { date })}</p>
      {reason !== null && reason !== '' && (
        <p className={styles['reason']}>{t('identity.reason', { reason: serverText(reason) })}</p>
      )}
    </>
  );
}
