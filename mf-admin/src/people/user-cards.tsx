import type { AdminUserDetailView } from '@alpenglow/domain/contracts';
import { Button, Card, LinkButton, TimeAgo, useLocale } from '@alpenglow/ui';
import { Facts } from '../panel/facts.tsx';
import { useFormatTime } from '../panel/use-format-time.ts';
import { BumpedAgo } from '../ads/bumped-ago.tsx';
import { useText } from '../text.ts';
import styles from './user-page.module.css';

/** A card with the personal data of a user. */
export function ProfileCard({ user }: { readonly user: AdminUserDetailView }) {
  const t = useText();
  const formatTime = useFormatTime();
  return (
    <Card>
      <h2>{t('people.profile')}</h2>
      <Facts
        facts={[
          [t('field.email'), user.email],
          [t('people.type'), user.isProvider ? t('people.provider') : t('people.client')],
          [t('field.age'), String(user.age)],
          [t('people.registered'), formatTime(user.registeredAt)],
          [t('field.role'), user.role === null ? t('people.noRole') : t(`people.${user.role}`)],
          ...(user.isConfiguredAdmin ? [[t('people.configured'), t('table.yes')] as const] : []),
        ]}
      />
    </Card>
  );
}

/** A card with the ad of a user. */
export function AdCard({ ad }: Pick<AdminUserDetailView, 'ad'>) {
  const t = useText();
  return (
    <Card>
      <h2>{t('ads.ad')}</h2>
      {ad === null ? (
        <p>{t('people.noAd')}</p>
      ) : (
        <>
          <Facts
            facts={[
              [t('field.title'), ad.title],
              [t('people.adPlace'), ad.location],
              [t('table.state'), ad.status === 'hidden' ? t('ads.isHidden') : t('ads.isLive')],
              [t('people.adPosted'), <TimeAgo key="posted" at={ad.createdAt} />],
              [t('ads.bumped'), <BumpedAgo key="bumped" ad={ad} />],
            ]}
          />
          <div className={styles['ways']}>
            <LinkButton to={`/admin/ads/${ad.id}`}>{t('people.adHistory')}</LinkButton>
          </div>
        </>
      )}
    </Card>
  );
}

/** A card with the open verification code of a user. */
export function CodeCard({ code, onClear }: Pick<AdminUserDetailView, 'code'> & { readonly onClear: () => void }) {
  const t = useText();
  return (
    <Card>
      <h2>{t('people.code')}</h2>
      {code === null ? (
        <p>{t('people.noCode')}</p>
      ) : (
        <>
          <Facts
            facts={[
              ...(code.code === null ? [] : [[t('codes.code'), code.code] as const]),
              [t('codes.issued'), <TimeAgo key="issued" at={code.issuedAt} />],
              [t('codes.attemptsLeft'), String(code.attemptsLeft)],
            ]}
          />
          <div className={styles['ways']}>
            <Button onClick={onClear}>{t('people.clearCode')}</Button>
          </div>
        </>
      )}
    </Card>
  );
}

/** Shows how many threads, posts, favorites, follows and sessions a user has. */
export function CountsCard({ counts }: Pick<AdminUserDetailView, 'counts'>) {
  const t = useText();
  const locale = useLocale();
  const names = ['threads', 'posts', 'hiddenPosts', 'favorites', 'follows', 'sessions'] as const;
  return (
    <Card>
      <h2>{t('people.counts')}</h2>
      <Facts facts={names.map((name) => [t(`people.counts.${name}`), counts[name].toLocaleString(locale)] as const)} />
    </Card>
  );
}
