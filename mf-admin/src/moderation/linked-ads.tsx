import type { CaseView } from '@alpenglow/domain/contracts';
import { Link } from 'react-router-dom';
import { Badge, useUser } from '@alpenglow/ui';
import { PersonName } from './case-labels.tsx';
import { CaseSection } from './case-section.tsx';
import { useText } from '../text.ts';
import styles from './case-page.module.css';

/**
 * Lists ads of other accounts that contain the same phone number or photo. A match reliably indicates that the same
 * person posted both ads (T-5).
 */
export function LinkedAds({ links }: Pick<CaseView, 'links'>) {
  const t = useText();
  const isAdmin = useUser()?.isAdmin === true;
  return (
    <CaseSection id="links" title={t('moderation.links')}>
      <p className={styles['facts']}>{links.length === 0 ? t('moderation.noLinks') : t('moderation.linksText')}</p>
      <ul role="list" className={styles['items']}>
        {links.map(({ adId, title, owner, by, isHidden }) => (
          <li key={adId}>
            <p className={styles['badges']}>
              {by.map((attribute) => (
                <Badge key={attribute} tone="accent">
                  {t(`moderation.linkedBy.${attribute}`)}
                </Badge>
              ))}
              {isHidden && <Badge>{t('value.hidden')}</Badge>}
            </p>
            <Link to={`/admin/ads/${adId}`}>
              <bdi>{title}</bdi>
            </Link>
            <p className={styles['facts']}>
              {isAdmin && owner !== null ? (
                <Link to={`/admin/users/${owner.id}`}>
                  <PersonName person={owner} />
                </Link>
              ) : (
                <PersonName person={owner} />
              )}
            </p>
          </li>
        ))}
      </ul>
    </CaseSection>
  );
}
