import { communityMessages as text } from '@alpenglow/ui';
import { NotYetPage } from './not-yet.tsx';
import { PlaceList } from './place-list.tsx';
import styles from './pages.module.css';

/** `/community`. */
export function CommunityPage() {
  return (
    <NotYetPage title={text.community} lead={text.communityLead} notYet={text.notYetText}>
      <section className={styles['section']}>
        <h2>{text.whatTitle}</h2>
        <ul className={styles['list']}>
          {text.what.map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ul>
      </section>
      <PlaceList />
    </NotYetPage>
  );
}
