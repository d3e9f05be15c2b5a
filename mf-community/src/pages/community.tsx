import { useText } from '../text.ts';
import { NotYetPage } from './not-yet.tsx';
import { PlaceList } from './place-list.tsx';
import styles from './pages.module.css';

const POINTS = ['what.1', 'what.2', 'what.3'] as const;

/** `/community`. */
export function CommunityPage() {
  const t = useText();
  return (
    <NotYetPage title={t('community')} lead={t('communityLead')} notYet={t('notYetText')}>
      <section className={styles['section']}>
        <h2>{t('whatTitle')}</h2>
        <ul className={styles['list']}>
          {POINTS.map((point) => (
            <li key={point}>{t(point)}</li>
          ))}
        </ul>
      </section>
      <PlaceList />
    </NotYetPage>
  );
}
