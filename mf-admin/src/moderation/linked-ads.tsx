import type { CaseView } from '@alpenglow/domain/contracts';
import { Link } from 'react-router-dom';
import { Badge, Card } from '@alpenglow/ui';
import { PersonName } from './case-facts.tsx';
import { useText } from './text.ts';
import styles from './case-page.module.css';

/** Ads of other accounts with the same phone or photo: the signal that holds up (design, "No keyword folklore"). */
export function LinkedAds({ links }: Pick<CaseView, 'links'>) {
  const t = useText();
  return (
    <Card>
      <section className={styles['section']} aria-labelledby="links">
        <h2 id="links">{t('moderation.links')}</h2>
        <p className={styles['facts']}>{links.length === 0 ? t('moderation.noLinks') : t('moderation.linksText')}</p>
        <ul role="list" className={styles['items']}>
          {links.map(({ adId, title, owner, by, isHidden }) => (
            <li key={adId}>
              <p className={styles['badges']}>
                {by.map((one) => (
                  <Badge key={one} tone="accent">
                    {t(`moderation.linkedBy.${one}`)}
                  </Badge>
                ))}
                {isHidden && <Badge>{t('moderation.isHidden')}</Badge>}
              </p>
              <Link to={`/admin/ads/${adId}`}>
                <bdi>{title}</bdi>
              </Link>
              <p className={styles['facts']}>
                <PersonName person={owner} />
              </p>
            </li>
          ))}
        </ul>
      </section>
    </Card>
  );
}
