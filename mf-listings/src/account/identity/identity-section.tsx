import { useQuery } from '@tanstack/react-query';
import type { IdentityAnswer, UserView } from '@alpenglow/domain/contracts';
import { Badge, ErrorBox, messageOf, Skeleton, useApi, useLocale } from '@alpenglow/ui';
import { identityQuery } from './calls.ts';
import { IdentityForm } from './identity-form.tsx';
import { useText } from './text.ts';
import styles from './identity.module.css';

type Check = IdentityAnswer['data'];

const TONES = { none: 'neutral', open: 'accent', accepted: 'success', refused: 'danger' } as const;

/** A provider's request to be verified: what it means, how it stands, and a way to ask (design, trust and privacy). */
export function IdentitySection({ user }: { readonly user: UserView }) {
  const t = useText();
  const api = useApi();
  const { data: check, error, isLoadingError, isPending, refetch } = useQuery(identityQuery(api, user.id));
  const status = check === undefined ? null : statusOf(check, user);
  return (
    <section className={styles['section']} aria-labelledby="identity">
      <h3 id="identity">
        {t('identity.title')} {status !== null && <Badge tone={TONES[status]}>{t(`identity.${status}`)}</Badge>}
      </h3>
      <p>{t('identity.text')}</p>
      <p>{t('identity.privacy')}</p>
      {isPending && <Skeleton height="6rem" />}
      {isLoadingError && <ErrorBox message={messageOf(error, t('identity.failed'))} onRetry={() => void refetch()} />}
      {status === 'accepted' && <p>{t('identity.acceptedText')}</p>}
      {check && status === check.status && status !== 'accepted' && <Standing check={check} />}
      {(status === 'none' || status === 'refused') &&
        (user.isEmailVerified ? <IdentityForm viewer={user.id} /> : <p>{t('identity.needsEmail')}</p>)}
    </section>
  );
}

/** An admin may have verified somebody who asked for nothing; pictures that wait to be looked at are told in any case. */
function statusOf(check: Check, { verified }: UserView): keyof typeof TONES {
  if (check?.status === 'open') return 'open';
  return verified ? 'accepted' : (check?.status ?? 'none');
}

function Standing({ check: { status, requestedAt, decidedAt, reason } }: { readonly check: NonNullable<Check> }) {
  const t = useText();
  const locale = useLocale();
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(new Date(decidedAt ?? requestedAt));
  if (status === 'open') return <p>{t('identity.openText', { date })}</p>;
  return (
    <>
      <p>{t('identity.refusedText', { date })}</p>
      {reason !== null && reason !== '' && <p className={styles['reason']}>{t('identity.reason', { reason })}</p>}
    </>
  );
}
